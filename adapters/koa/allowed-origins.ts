export interface CorsOptions {
  /** Origins whose pages may call the node, of any scheme: `https://app.example`, `app://obsidian.md`. */
  readonly corsAllowedOrigins: readonly string[];
  /** Allows every port of `localhost` and `127.0.0.1` besides. */
  readonly corsDevLocalhost: boolean;
}

/**
 * Tells whether pages of an origin, as browsers send it, may call the node. `null`, which any page can have, never may.
 */
export const createOriginRule = ({
  corsAllowedOrigins,
  corsDevLocalhost,
}: CorsOptions): ((origin: string) => boolean) => {
  const allowed = new Set(corsAllowedOrigins.map(asBrowsersSpell));
  return (origin) => allowed.has(origin) || (corsDevLocalhost && LOCALHOST.test(origin));
};

/** In lower case, and without the port that the scheme has anyway. */
const asBrowsersSpell = (origin: string): string =>
  origin
    .toLowerCase()
    .replace(/^(http:.*):80$/, '$1')
    .replace(/^(https:.*):443$/, '$1');

const LOCALHOST = /^https?:\/\/(?:localhost|127\.0\.0\.1)(?::\d{1,5})?$/;
