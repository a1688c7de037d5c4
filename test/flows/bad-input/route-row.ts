import type { BodyModel } from './hostile-bodies.ts';
import type { ParameterKind } from './hostile-values.ts';

/** Things that the node under test holds, for paths that name one. */
export interface Fixtures {
  readonly factId: string;
  readonly cid: string;
  /** A conflict whose members the right request names. */
  readonly conflictId: string;
}

/** The facts about a route that this suite needs. A registered route without a row fails the suite. */
export interface RouteRow {
  /** As `describe` prints it: method and path pattern. */
  readonly route: string;
  /** A path for which the right request would succeed or find nothing. */
  path(fixtures: Fixtures): string;
  /** The path value of a parameter, if the path has one. */
  readonly parameter?: (text: string) => string;
  readonly query?: Readonly<Record<string, ParameterKind>>;
  /** Parameters that may be given more than once. */
  readonly repeated?: readonly string[];
  /** Part of a query that is right, kept in every request. */
  readonly baseQuery?: string;
  readonly body?: BodyModel;
  /** Status of the right request. */
  readonly accepts: number;
  /** Needs no credential. */
  readonly isOpen?: boolean;
  /** Takes peer tokens alone, so that no request with a key gets further than that. */
  readonly isForPeers?: boolean;
  /** A permission that the route does not accept, empty when it takes any key. */
  readonly lacking?: readonly string[];
  /** Answers an unknown parameter with nothing found rather than 404. */
  readonly findsNothing?: boolean;
  /** Header values that must be refused with 400. */
  readonly badHeaders?: readonly (readonly [name: string, value: string])[];
}

export const STANDARD_BODY_BYTES = 2 * 1024 * 1024;
export const SMALL_BODY_BYTES = 64 * 1024;
export const BULK_BODY_BYTES = 16 * 1024 * 1024;
