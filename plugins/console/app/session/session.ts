import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { AnswerOf, FactClient, RouteName } from '../../../../client/client.ts';
import type { Texts } from '../texts/texts.ts';
import type { Setup } from './read-setup.ts';

export type Reader = AnswerOf<'GET /v1/me'>;

/** Who reads, and what they may do: what every screen is given. */
export interface Session {
  readonly client: FactClient;
  readonly reader: Reader;
  readonly setup: Setup;
  readonly texts: Texts;
  /** False for a reader who came in without a key, because the node asks for none. */
  readonly hasKey: boolean;
  signOut(): void;
}

export const SessionContext = createContext<Session | undefined>(undefined);

/** The session of the reader. Only below the sign-in. */
export const useSession = (): Session => {
  const session = useContext(SessionContext);
  if (session === undefined) throw new Error('a screen is shown before anybody has signed in');
  return session;
};

/** Whether the node has a route: plugins that are off have none. */
export const hasRoute = ({ routes }: Setup, route: RouteName): boolean => routes.includes(route);

/** Whether the key has one of these permissions. The node checks it again with each request. */
export const may = ({ permissions }: Reader, ...wanted: readonly string[]): boolean =>
  wanted.length === 0 || wanted.some((permission) => permissions.includes(permission));
