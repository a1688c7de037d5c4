import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { AnswerOf, FactClient, RouteName } from '../../../../client/client.ts';
import type { Texts } from '../texts/texts.ts';
import type { Setup } from './read-setup.ts';

export type Reader = AnswerOf<'GET /v1/me'>;

/** The reader with their rights, available to every screen. */
export interface Session {
  readonly client: FactClient;
  readonly reader: Reader;
  readonly setup: Setup;
  readonly texts: Texts;
  /** False for a reader without a key, on a node that requires none. */
  readonly hasKey: boolean;
  signOut(): void;
}

export const SessionContext = createContext<Session | undefined>(undefined);

/** The session of the reader. Only available after the sign-in. `own` are the texts of the part with this name. */
export const useSession = <Part extends keyof Texts = never>(part?: Part): Session & { readonly own: Texts[Part] } => {
  const session = useContext(SessionContext);
  if (session === undefined) throw new Error('a screen is shown before anybody has signed in');
  return { ...session, own: session.texts[part as Part] };
};

/** True if the node has a route. Plugins that are off have none. */
export const hasRoute = ({ routes }: Setup, route: RouteName): boolean => routes.includes(route);

/** True if the key has one of these permissions. The node checks them again with each request. */
export const may = ({ permissions }: Reader, ...wanted: readonly string[]): boolean =>
  wanted.length === 0 || wanted.some((permission) => permissions.includes(permission));
