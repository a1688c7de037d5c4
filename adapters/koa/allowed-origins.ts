export interface CorsOptions {
  /** Origins whose pages may call the node, with any scheme: `https://app.example`, `app://obsidian.md`. */
  readonly corsAllowedOrigins: readonly string[];
  /** Also allows every port of `localhost` and `127.0.0.1`. */
  readonly corsDevLocalhost: boolean;
}

/**
 * Returns whether pages of an origin may call the node. It never allows `null`, because any page can have that origin.
 */
export const createOriginRule = ({
  corsAllowedOrigins,
  corsDevLocalhost,
}: CorsOptions): ((origin: string) => boolean) => {
  const allowed = new Set(corsAllowedOrigins.map(asBrowsersSpell));
  return (origin) => allowed.has(origin) || (corsDevLocalhost && LOCALHOST.test(origin));
};

/** Spells an origin as browsers do: in lower case, without the default port of the scheme. */
const asBrowsersSpell = (origin: string): string =>
  origin
    .toLowerCase()
    .replace(/^(http:.*):80$/, '$1')
    .replace(/^(https:.*):443$/, '$1');

const LOCALHOST = /^https?:\/\/(?:localhost|127\.0\.0\.1)(?::\d{1,5})?$/;
