import type { BodyModel } from './hostile-bodies.ts';
import type { ParameterKind } from './hostile-values.ts';

/** Objects on the node under test, for paths that name one. */
export interface Fixtures {
  readonly factId: string;
  readonly cid: string;
  /** A conflict whose members the valid request names. */
  readonly conflictId: string;
}

/** The properties of a route for this suite. A registered route without a row fails the suite. */
export interface RouteRow {
  /** The method and path pattern, as `describe` prints them. */
  readonly route: string;
  /** Returns a path for which the valid request succeeds or finds nothing. */
  path(fixtures: Fixtures): string;
  /** Returns the path with the text as its parameter, if the path has one. */
  readonly parameter?: (text: string) => string;
  readonly query?: Readonly<Record<string, ParameterKind>>;
  /** Parameters that may occur more than once. */
  readonly repeated?: readonly string[];
  /** A valid part of the query, present in every request. */
  readonly baseQuery?: string;
  readonly body?: BodyModel;
  /** The status of the valid request. */
  readonly accepts: number;
  /** Whether the route needs no credential. */
  readonly isOpen?: boolean;
  /** Whether the route accepts only peer tokens, so that every request with a key is refused. */
  readonly isForPeers?: boolean;
  /** Permissions that the route does not accept; empty if it accepts any key. */
  readonly lacking?: readonly string[];
  /** Whether the route returns an empty result for an unknown parameter instead of status 404. */
  readonly findsNothing?: boolean;
  /** Header values that must be refused with status 400. */
  readonly badHeaders?: readonly (readonly [name: string, value: string])[];
}

export const STANDARD_BODY_BYTES = 2 * 1024 * 1024;
export const SMALL_BODY_BYTES = 64 * 1024;
export const BULK_BODY_BYTES = 16 * 1024 * 1024;
