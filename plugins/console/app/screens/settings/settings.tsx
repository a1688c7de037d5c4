import { useState } from 'preact/hooks';
import { type Column, RecordTable } from '../../kit/record-table.tsx';
import { ScreenHead } from '../../kit/screen-head.tsx';
import { ShownText } from '../../kit/shown-text.tsx';
import { Answer, Empty } from '../../kit/state.tsx';
import { type NodeDescription, useNode } from '../../kit/use-node.ts';
import { useSearchWords } from '../../kit/use-search-words.ts';
import { useSession } from '../../session/session.ts';
import { plural, type Texts } from '../../texts/texts.ts';

type Setting = NodeDescription['settings'][number];

const ORIGIN_CLASS: Readonly<Record<string, string>> = { default: '', derived: 'warn' };

/** Every setting of the node, with its purpose and its origin. */
export const Settings = () => {
  const { texts } = useSession();
  const { settings: own } = texts;
  const { typed: words, type: search } = useSearchWords('settings');
  const [isChanged, setChanged] = useState(false);
  const asked = useNode();
  return (
    <>
      <ScreenHead title={texts.screens.settings} />
      <p class="lead">{own.lead}</p>
      <div class="bar">
        <input
          class="grow"
          type="search"
          aria-label={own.search}
          placeholder={own.search}
          value={words}
          onInput={({ currentTarget }) => search(currentTarget.value)}
        />
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
            (setting) => isMatch(setting, words) && (!isChanged || setting.origin !== 'default'),
          );
          return (
            <>
              <p class="muted" role="status">
                {plural(own.count, found.length)}
              </p>
              <RecordTable
                label={texts.screens.settings}
                columns={columnsOf(texts)}
                rows={found}
                keyOf={({ owner, key }) => `${owner}.${key}`}
                empty={
                  <Empty title={own.nothing}>
                    <p>{own.nothingHint}</p>
                  </Empty>
                }
              />
            </>
          );
        }}
      </Answer>
    </>
  );
};

/** True if each search word occurs somewhere in the setting. */
const isMatch = ({ owner, key, variable, description }: Setting, words: string): boolean => {
  const text = `${owner} ${key} ${variable ?? ''} ${description}`.toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
};

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
