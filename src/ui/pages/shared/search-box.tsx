/** A field that looks for what is typed in it, while it is typed. */
interface SearchBoxProps {
  readonly label: string;
  /** What it says while it is empty; the label without it. */
  readonly placeholder?: string;
  readonly value: string;
  readonly onChange: (text: string) => void;
}

/** Enter sends no form around it. */
export const SearchBox = ({ label, placeholder = label, value, onChange }: SearchBoxProps) => (
  <input
    type="search"
    aria-label={label}
    placeholder={placeholder}
    value={value}
    onInput={(event) => onChange(event.currentTarget.value)}
    onKeyDown={(event) => event.key === 'Enter' && event.preventDefault()}
  />
);
