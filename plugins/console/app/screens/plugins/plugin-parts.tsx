import { Tags } from '../../kit/tags.tsx';
import { useTexts } from '../../kit/use-texts.ts';
import { plural } from '../../texts/texts.ts';
import type { ListedPlugin } from './plugins.tsx';

/** The services and routes of a plugin, each list folded. */
export const PluginParts = ({ plugin }: { plugin: ListedPlugin }) => {
  const { plugins: own } = useTexts();
  const { provides, requires, routes } = plugin;
  return (
    <>
      <Named title={own.provides} words={provides} />
      <Named title={own.requires} words={requires} />
      {routes.length > 0 && (
        <details>
          <summary>{plural(own.routes, routes.length)}</summary>
          <ul class="routes">
            {routes.map(({ method, path, summary, access }) => (
              <li key={`${method} ${path}`}>
                <code class="shown">
                  {method} {path}
                </code>{' '}
                <span class="tag">{access}</span>
                <div class="muted">{summary}</div>
              </li>
            ))}
          </ul>
        </details>
      )}
    </>
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
