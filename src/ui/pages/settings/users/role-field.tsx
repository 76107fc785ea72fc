/** The choice of a role, each with what it sees; no role is chosen beforehand (SPEC 8). */
import { SelectField } from '../../shared/forms/form-fields.tsx';
import { entryName } from '../../shared/names.ts';
import { words } from '../../shared/words.ts';
import type { RoleRecord } from '../account-records.ts';

interface RoleFieldProps {
  readonly roles: readonly RoleRecord[];
  /** The number of cameras that there are. */
  readonly cameras: number;
  /** Empty: none is chosen. */
  readonly value: string;
  readonly onChange: (value: string) => void;
}

const BUILT_IN: readonly RoleRecord[] = ['admin', 'viewer'].map((role) => ({ role }) as RoleRecord);

export function RoleField({ roles, cameras, value, onChange }: RoleFieldProps) {
  const known = roles.length > 0 ? roles : BUILT_IN;
  const text = words.users.sees;
  const seenBy = ({ role, cameras: entries = [] }: RoleRecord): string => {
    if (role === 'admin') return text.admin;
    if (role === 'viewer' || entries.includes('*')) return text.all({ cameras });
    return entries.length === 0 ? words.ui.common.noCameras : entries.map(entryName).join(', ');
  };
  const options = known.map((record) => [record.role, `${record.role}: ${seenBy(record)}`] as const);
  return (
    <SelectField
      name="role"
      label={words.ui.common.role}
      value={value}
      onChange={onChange}
      options={value === '' ? [['', text.choose], ...options] : options}
    />
  );
}

export const roleFault = (role: string): string | undefined => (role === '' ? words.users.roleMissing : undefined);
