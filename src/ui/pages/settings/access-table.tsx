/** People and cameras as a table: who sees what, by role; to search, and by groups of cameras. */
import { useState } from 'preact/hooks';
import { SearchBox } from '../shared/fields.tsx';
import { cameraName, words } from '../shared/words.ts';
import { byRole, type CameraAccess, found, sightOf } from './access-answers.ts';
import { CameraGroups } from './camera-choice.tsx';

export function AccessTable({ access, onPerson }: { access: CameraAccess; onPerson: (name: string) => void }) {
  const [person, setPerson] = useState('');
  const [camera, setCamera] = useState('');
  const { cameras, holders } = found(access, { person, camera }, cameraName);
  const roles = byRole(holders);
  return (
    <section class="more-records access-map" aria-labelledby="access-map">
      <h2 id="access-map">{words.access.map}</h2>
      <p class="field-help access-legend">
        {LEGEND.map((sight) => (
          <span key={sight}>
            <span class={`sight sight-${sight}`} aria-hidden="true" />
            {words.access.sights[sight]}
          </span>
        ))}
      </p>
      <div class="table-tools">
        <search>
          <SearchBox label={words.access.searchPeople} value={person} onChange={setPerson} />
        </search>
        <search>
          <SearchBox label={words.access.searchCameras} value={camera} onChange={setCamera} />
        </search>
        <p class="table-count" role="status">
          {words.access.count({
            people: roles.reduce((sum, { people }) => sum + people.length, 0),
            cameras: cameras.length,
          })}
        </p>
      </div>
      <CameraGroups
        known={access.cameras}
        isOn={({ name }) => camera === name}
        onPress={({ name }) => setCamera(camera === name ? '' : name)}
      />
      {roles.length === 0 || cameras.length === 0 ? (
        <p class="blank">{words.ui.table.noMatch}</p>
      ) : (
        <div class="access-box">
          <table class="access-table">
            <caption class="out-of-sight">{words.access.map}</caption>
            <thead>
              <tr>
                <th scope="col" class="access-corner">
                  {words.ui.common.user}
                </th>
                {cameras.map((one) => (
                  <th key={one} scope="col" class="access-camera" title={one}>
                    <bdi>{cameraName(one)}</bdi>
                  </th>
                ))}
              </tr>
            </thead>
            {roles.map(({ role, people }) => (
              <tbody key={role}>
                <tr class="access-role">
                  <th scope="rowgroup" colSpan={cameras.length + 1}>
                    <bdi>{role}</bdi> <span class="field-help">{people.length}</span>
                  </th>
                </tr>
                {people.map((one) => (
                  <tr key={one.name}>
                    <th scope="row">
                      <button class="access-person" type="button" onClick={() => onPerson(one.name)}>
                        <bdi>{one.name}</bdi>
                      </button>
                    </th>
                    {cameras.map((camera) => (
                      <td key={camera}>
                        <Mark sight={sightOf(one, camera)} />
                      </td>
                    ))}
                  </tr>
                ))}
              </tbody>
            ))}
          </table>
        </div>
      )}
    </section>
  );
}

const LEGEND = ['all', 'part', 'closed'] as const;

/** What a cell says, for those who do not see its mark too. */
const Mark = ({ sight }: { sight: ReturnType<typeof sightOf> }) => (
  <span class={sight === 'none' ? 'out-of-sight' : `sight sight-${sight}`}>
    <span class="out-of-sight">{sight === 'none' ? words.ui.common.no : words.access.sights[sight]}</span>
  </span>
);
