import { useState } from 'preact/hooks';
import { matchesWords } from '../../kit/matches-words.ts';
import { type Column, RecordTable } from '../../kit/record-table.tsx';
import { ScreenHead } from '../../kit/screen-head.tsx';
import { SearchField } from '../../kit/search-field.tsx';
import { Answer, Empty } from '../../kit/state.tsx';
import { type NodeDescription, useNode } from '../../kit/use-node.ts';
import { useSearchWords } from '../../kit/use-search-words.ts';
import { useSession } from '../../session/session.ts';
import { addressOf } from '../../shell/address.ts';
import { fill, plural, type Texts } from '../../texts/texts.ts';
import { pluginOf } from '../settings/settings.tsx';
import { PluginParts } from './plugin-parts.tsx';

type Plugin = NodeDescription['plugins'][number];
type Route = NodeDescription['routes'][number];

/** A plugin with its routes. */
export interface ListedPlugin extends Plugin {
  readonly routes: readonly Route[];
  /** The number of its settings. */
  readonly settings: number;
}

/** The plugins of the node in a table, found by their words and by the paths of their routes. */
export const Plugins = () => {
  const { texts, own } = useSession('plugins');
  const { typed: words, type: search } = useSearchWords('plugins');
  const [isOnOnly, setOnOnly] = useState(false);
  const asked = useNode();
  return (
    <>
      <ScreenHead title={texts.screens.plugins} />
      <p class="lead">{own.lead}</p>
      <div class="bar">
        <SearchField label={own.search} words={words} onType={search} />
        <label class="check">
          <input
            type="checkbox"
            checked={isOnOnly}
            onChange={({ currentTarget }) => setOnOnly(currentTarget.checked)}
          />
          {own.onOnly}
        </label>
      </div>
      <Answer asked={asked}>
        {({ plugins, routes, settings }) => {
          const listed = plugins.map((plugin) => ({
            ...plugin,
            routes: routes.filter((route) => route.plugin === plugin.name),
            settings: settings.filter((setting) => pluginOf(setting) === plugin.name).length,
          }));
          const found = listed.filter((plugin) => (plugin.enabled || !isOnOnly) && isMatch(plugin, words));
          return (
            <>
              <p class="muted" role="status">
                {fill(own.count, {
                  on: found.filter(({ enabled }) => enabled).length,
                  off: found.filter(({ enabled }) => !enabled).length,
                })}
              </p>
              <RecordTable
                label={texts.screens.plugins}
                columns={columnsOf(texts)}
                rows={found}
                keyOf={({ name }) => name}
                empty={<Empty title={own.nothing} />}
              />
            </>
          );
        }}
      </Answer>
    </>
  );
};

const isMatch = ({ name, summary, provides, requires, routes }: ListedPlugin, words: string): boolean =>
  matchesWords(
    [name, summary, ...provides, ...requires, ...routes.map(({ method, path }) => `${method} ${path}`)],
    words,
  );

const columnsOf = ({ plugins: own }: Texts): readonly Column<ListedPlugin>[] => [
  {
    title: own.plugin,
    show: ({ name, summary }) => (
      <>
        <strong>{name}</strong>
        <div class="muted">{summary}</div>
      </>
    ),
  },
  {
    title: own.state,
    show: ({ enabled }) => <span class={`tag ${enabled ? 'good' : ''}`}>{enabled ? own.on : own.off}</span>,
  },
  { title: own.version, show: ({ version }) => <span class="unbroken">{version}</span> },
  {
    title: own.parts,
    show: (plugin) => (
      <div class="plugin-parts">
        {plugin.settings > 0 && (
          <a
            href={addressOf('settings', { plugin: plugin.name })}
            aria-label={`${plural(own.settings, plugin.settings)}: ${plugin.name}`}
          >
            {plural(own.settings, plugin.settings)}
          </a>
        )}
        <PluginParts plugin={plugin} />
      </div>
    ),
  },
];
