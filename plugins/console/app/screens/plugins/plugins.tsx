import { ScreenHead } from '../../kit/screen-head.tsx';
import { Answer } from '../../kit/state.tsx';
import { Tags } from '../../kit/tags.tsx';
import { type NodeDescription, useNode } from '../../kit/use-node.ts';
import { useSession } from '../../session/session.ts';
import { addressOf } from '../../shell/address.ts';
import { fill, plural } from '../../texts/texts.ts';

type Plugin = NodeDescription['plugins'][number];
type Route = NodeDescription['routes'][number];

/** The plugins of the node, each with the services that it provides and its routes. */
export const Plugins = () => {
  const { texts } = useSession();
  const { plugins: own } = texts;
  const asked = useNode();
  return (
    <>
      <ScreenHead title={texts.screens.plugins} />
      <p class="lead">{own.lead}</p>
      <Answer asked={asked}>
        {({ plugins, routes }) => (
          <>
            <p class="muted">
              {fill(own.count, {
                on: plugins.filter(({ enabled }) => enabled).length,
                off: plugins.filter(({ enabled }) => !enabled).length,
              })}
            </p>
            <div class="plugins">
              {plugins.map((plugin) => (
                <PluginCard
                  key={plugin.name}
                  plugin={plugin}
                  routes={routes.filter((route) => route.plugin === plugin.name)}
                />
              ))}
            </div>
          </>
        )}
      </Answer>
    </>
  );
};

const PluginCard = ({ plugin, routes }: { plugin: Plugin; routes: readonly Route[] }) => {
  const { plugins: own } = useSession().texts;
  const { name, enabled, version, summary, provides, requires } = plugin;
  return (
    <article class="card">
      <h2>
        {name} <span class={`tag ${enabled ? 'good' : ''}`}>{enabled ? own.on : own.off}</span>
      </h2>
      <p>{summary}</p>
      <p class="muted">
        {version} · <a href={addressOf('settings', { q: name })}>{own.settings}</a>
      </p>
      <Named title={own.provides} words={provides} />
      <Named title={own.requires} words={requires} />
      {routes.length > 0 && (
        <details>
          <summary>{plural(own.routes, routes.length)}</summary>
          <ul class="routes">
            {routes.map(({ method, path, summary: text, access }) => (
              <li key={`${method} ${path}`}>
                <code class="shown">
                  {method} {path}
                </code>{' '}
                <span class="tag">{access}</span>
                <div class="muted">{text}</div>
              </li>
            ))}
          </ul>
        </details>
      )}
    </article>
  );
};

const Named = ({ title, words }: { title: string; words: readonly string[] }) =>
  words.length === 0 ? null : (
    <details>
      <summary>
        {title} ({words.length})
      </summary>
      <Tags words={words} />
    </details>
  );
