import { useState } from 'preact/hooks';
import { groupBy } from '../../kit/group-by.ts';
import { matchesWords } from '../../kit/matches-words.ts';
import { type Column, RecordTable } from '../../kit/record-table.tsx';
import { ScreenHead } from '../../kit/screen-head.tsx';
import { SearchField } from '../../kit/search-field.tsx';
import { ShownText } from '../../kit/shown-text.tsx';
import { Answer, Empty } from '../../kit/state.tsx';
import { type NodeDescription, useNode } from '../../kit/use-node.ts';
import { useSearchWords } from '../../kit/use-search-words.ts';
import { useSession } from '../../session/session.ts';
import { useAddress } from '../../shell/address.ts';
import { fill, plural, type Texts } from '../../texts/texts.ts';

type Setting = NodeDescription['settings'][number];

const ORIGIN_CLASS: Readonly<Record<string, string>> = { default: '', derived: 'warn' };

/** Every setting of the node by its plugin, with the value in effect, its origin and its purpose. */
export const Settings = () => {
  const { texts, own } = useSession('settings');
  const { typed: words, type: search } = useSearchWords('settings');
  const { query, open } = useAddress();
  const [isChanged, setChanged] = useState(false);
  const asked = useNode();
  return (
    <>
      <ScreenHead title={texts.screens.settings} />
      <p class="lead">{own.lead}</p>
      <div class="bar">
        <SearchField label={own.search} words={words} onType={search} />
        <select
          class="narrow"
          aria-label={own.plugin}
          value={query.plugin ?? ''}
          onChange={({ currentTarget }) =>
            open('settings', { ...query, plugin: currentTarget.value || undefined }, true)
          }
        >
          <option value="">{own.everyPlugin}</option>
          {[...new Set((asked.data?.settings ?? []).map(pluginOf))].map((owner) => (
            <option key={owner} value={owner}>
              {owner}
            </option>
          ))}
        </select>
        <label class="check">
          <input
            type="checkbox"
            checked={isChanged}
            onChange={({ currentTarget }) => setChanged(currentTarget.checked)}
          />
          {own.changed}
        </label>
      </div>
      <Answer asked={asked}>
        {({ settings }) => {
          const found = settings.filter(
            (setting) =>
              isMatch(setting, words) &&
              (!query.plugin || pluginOf(setting) === query.plugin) &&
              (!isChanged || isSet(setting)),
          );
          return <SettingGroups settings={found} />;
        }}
      </Answer>
    </>
  );
};

const SettingGroups = ({ settings }: { settings: readonly Setting[] }) => {
  const { texts, own } = useSession('settings');
  const groups = [...groupBy(settings, pluginOf)];
  return (
    <>
      <p class="muted" role="status">
        {plural(own.count, settings.length)}
      </p>
      {groups.length === 0 && <Empty title={own.nothing} hint={own.nothingHint} />}
      {groups.map(([owner, group]) => (
        <details key={owner} class="setting-group" open>
          <summary>
            <h2>{owner}</h2> <span class="muted">{plural(own.set, group.filter(isSet).length)}</span>
          </summary>
          <RecordTable
            label={fill(own.of, { name: owner })}
            columns={columnsOf(texts)}
            rows={group}
            keyOf={({ key }) => key}
            empty={null}
          />
        </details>
      ))}
    </>
  );
};

const isSet = ({ origin }: Setting): boolean => origin !== 'default';

/** The plugin of a setting, or the part of the node, such as `node`. */
export const pluginOf = ({ owner }: Setting): string => owner.replace(/^plugins\./, '');

const isMatch = ({ owner, key, variable, description }: Setting, words: string): boolean =>
  matchesWords([owner, key, variable ?? '', description], words);

const columnsOf = ({ settings: own, none }: Texts): readonly Column<Setting>[] => [
  {
    title: own.setting,
    show: ({ owner, key, variable }) => (
      <>
        <strong>
          {owner}.{key}
        </strong>
        {variable !== null && (
          <div>
            <code class="shown">{variable}</code>
          </div>
        )}
      </>
    ),
  },
  {
    title: own.value,
    show: ({ value }) =>
      value === null || value === undefined ? (
        <span class="muted">{none}</span>
      ) : (
        <code>
          <ShownText text={typeof value === 'string' ? value : JSON.stringify(value)} />
        </code>
      ),
  },
  { title: own.origin, show: ({ origin }) => <span class={`tag ${ORIGIN_CLASS[origin] ?? 'good'}`}>{origin}</span> },
  {
    title: own.description,
    show: ({ description, accepts }) => (
      <>
        {description}
        <div class="muted">
          {own.accepts} <bdi>{accepts}</bdi>
        </div>
      </>
    ),
  },
];
