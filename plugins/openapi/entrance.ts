import type { DescribedRoute } from '../../kernel/internal-api.ts';
import { html } from './html-text.ts';
import { framePage } from './page-frame.ts';

/** The content of `/`: the identity of the node, and links. */
export interface Entrance {
  /** The service's own name. */
  readonly name: string;
  /** The version of the program. */
  readonly version: string;
  /** Each `href` is relative to `/`, because a proxy may serve the node below a path. */
  readonly links: readonly { readonly href: string; readonly title: string }[];
}

/**
 * Returns links to the documents that need neither a credential nor a query. A path with and without its last slash is
 * one link. Paths below a document are left out, because that document links to them.
 */
export const createEntrance = (name: string, version: string, routes: readonly DescribedRoute[]): Entrance => {
  const open = routes.filter(
    ({ method, path, access, query }) =>
      method === 'GET' && access === 'open' && query === undefined && !/[:*]/.test(path) && path !== '/',
  );
  const folders = open.map(({ path }) => path).filter((path) => path.endsWith('/'));
  return {
    name,
    version,
    links: open
      .filter(({ path }) => !folders.some((folder) => path !== folder && `${path}/`.startsWith(folder)))
      .map(({ path, summary }) => ({ href: path.slice(1), title: summary })),
  };
};

export const entrancePage = ({ name, version, links }: Entrance): string =>
  framePage(
    name,
    html`<main>
<h1>${name}</h1>
<p>A fact-memory node, version ${version}: it keeps typed, traceable, immutable facts for agents and people.</p>
<ul>
${links.map(({ href, title }) => html`<li><a href="${href}">${title}</a></li>\n`)}</ul>
</main>`,
  );
