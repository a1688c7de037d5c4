import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso/router';
import { consolePath } from '../kit/platform.ts';
import { Problem } from '../kit/problem.tsx';
import type { PluginScreen } from '../session/read-setup.ts';
import { may, type Session, useSession } from '../session/session.ts';

/** The screens of plugins that the reader may see. */
export const pluginScreensFor = ({ setup, reader }: Pick<Session, 'setup' | 'reader'>): readonly PluginScreen[] =>
  setup.screens.filter(({ permissions }) => may(reader, ...permissions));

/** The export of a screen's module. `ConsolePlace` in the plugin's interface describes its argument. */
interface ScreenModule {
  mount(place: object): unknown;
}

/** A screen that a plugin of the node adds. Its module fills an element of the page. */
export const ContributedScreen = ({ screen }: { screen: PluginScreen }) => {
  const session = useSession();
  const { route } = useLocation();
  const place = useRef<HTMLDivElement>(null);
  const [error, setError] = useState<unknown>();
  useLayoutEffect(() => {
    let leave: unknown;
    let isGone = false;
    const mount = async (): Promise<void> => {
      if (screen.style !== null) loadStyle(screen.style);
      const module = (await import(/* @vite-ignore */ `${consolePath()}files/${screen.script}`)) as ScreenModule;
      if (isGone || place.current === null) return;
      leave = await module.mount({
        element: place.current,
        permissions: session.reader.permissions,
        ask: (method: string, path: string, body?: unknown) => ask(session, method, path, body),
        open: (address: string) => route(`${consolePath()}${address}`),
      });
    };
    mount().catch(setError);
    return () => {
      isGone = true;
      if (typeof leave === 'function') leave();
    };
  }, [screen.script]);
  return (
    <>
      <h1>{screen.title}</h1>
      {error !== undefined && <Problem error={error} />}
      <div ref={place} class={`screen-${screen.name}`} />
    </>
  );
};

const ask = async ({ client }: Session, method: string, path: string, body: unknown): Promise<unknown> => {
  if (!path.startsWith('/v1/')) throw new TypeError(`"${path}" does not begin with /v1/`);
  const [pathname = '', search = ''] = path.split('?', 2);
  const query = Object.fromEntries(new URLSearchParams(search));
  const response = await client.open(method, pathname, { query, body });
  return response.status === 204 ? undefined : response.json();
};

const loadStyle = (name: string): void => {
  const href = `${consolePath()}files/${name}`;
  if (document.querySelector(`link[href="${href}"]`) !== null) return;
  const link = document.createElement('link');
  link.rel = 'stylesheet';
  link.href = href;
  document.head.append(link);
};
