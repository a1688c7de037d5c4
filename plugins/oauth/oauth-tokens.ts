import { encodeBase64Url } from '../../kernel/internal-api.ts';
import {
  type Clock,
  type PluginSnapshot,
  type PluginTables,
  type Principal,
  type Random,
  type ReadableTables,
  type ServedTenants,
  ServiceError,
  sha256Hex,
  type WritableTables,
} from '../../kernel/plugin-api.ts';
import type { KeyRegistry } from '../keys/keys-api.ts';
import type { Quotas } from '../rate-limits/rate-limits-api.ts';
import { isResource } from './authorization-request.ts';
import type { Grant } from './grant-row.ts';
import type { GrantStore, SecretKind, StoredSecret } from './grant-store.ts';
import { OAuthError } from './oauth-error.ts';
import type { OAuthGrants } from './oauth-grants.ts';

const CODE_LIFE_MS = 60_000;
const SECRET_BYTES = 32;
const PREFIXES: Readonly<Record<SecretKind, string>> = { code: 'oac_', access: 'oat_', refresh: 'ort_' };

export interface TokenParts {
  readonly store: GrantStore;
  readonly tables: PluginTables;
  readonly clock: Clock;
  readonly random: Random;
  readonly keys: KeyRegistry;
  readonly grants: OAuthGrants;
  readonly quotas: Quotas | undefined;
  readonly served: ServedTenants;
  /** The address of the node, at which its tokens are valid. */
  readonly nodeUrl: string;
  readonly accessTokenMs: number;
  /** Writes down beside the store that a secret must not be used again. */
  withdraw(secret: StoredSecret): Promise<void>;
}

export interface IssuedTokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly expiresInSeconds: number;
  readonly permissions: readonly string[];
}

/** The parameters of a request that exchanges a code for tokens. */
export interface CodePresentation {
  readonly code: string;
  readonly verifier: string;
  readonly redirectUri: string;
  readonly clientId: string;
  readonly resource: string | undefined;
}

/** The result of an exchange: tokens, or a refusal that may end the grant. */
type Outcome = { readonly issued: IssuedTokens } | { readonly refused: string; readonly ends?: Grant | undefined };

/** Issues, exchanges and revokes codes and tokens. Each is random text, of which the store contains only the digest. */
export class OAuthTokens {
  readonly #parts: TokenParts;

  constructor(parts: TokenParts) {
    this.#parts = parts;
  }

  /** Returns a code for a new grant, valid for one minute and one use. */
  async code(grant: Grant, { redirectUri, challenge }: { redirectUri: string; challenge: string }): Promise<string> {
    const { store, tables } = this.#parts;
    const { text, secret } = this.#draw('code', grant, CODE_LIFE_MS);
    await tables.write(grant.tenantId, (own) => store.insertSecrets(own, [{ ...secret, redirectUri, challenge }]));
    return text;
  }

  /**
   * Exchanges a code for tokens. A wrong client, redirect address or verifier ends the grant, and so does a second use.
   */
  async redeem(presented: CodePresentation): Promise<IssuedTokens> {
    return this.#exchange(presented.code, 'code', presented.resource, async (own, code, grant) => {
      const isSound =
        grant.clientId === presented.clientId &&
        code.redirectUri === presented.redirectUri &&
        code.challenge === challengeOf(presented.verifier);
      if (!isSound) return { refused: 'the code is for another client, redirect address or verifier', ends: grant };
      await this.#parts.store.redeem(own, grant, this.#parts.clock.nowMs());
      return { issued: await this.#issue(own, grant) };
    });
  }

  /** Replaces a refresh token. A second use ends the grant, because the token may be stolen. */
  async refresh(token: string, clientId: string, resource: string | undefined): Promise<IssuedTokens> {
    return this.#exchange(token, 'refresh', resource, async (own, _, grant) => {
      if (grant.clientId !== clientId) return { refused: 'the token is for another client', ends: grant };
      return { issued: await this.#issue(own, grant) };
    });
  }

  /** Revokes a token (RFC 7009): a refresh token with its grant, an access token alone. Ignores unknown tokens. */
  async revoke(token: string, clientId: string): Promise<void> {
    const { store, tables, grants } = this.#parts;
    const secret = await tables.read((own) => store.secret(own, sha256Hex(token)));
    if (secret === undefined || secret.kind === 'code') return;
    const grant = await tables.read((own) => store.byId(own, secret.tenantId, secret.grantId));
    if (grant === undefined || grant.clientId !== clientId) return;
    if (secret.kind === 'refresh') await grants.drop(grant, grant.entityUri);
    else {
      await this.#parts.withdraw(secret);
      await tables.write(secret.tenantId, (own) => store.removeSecret(own, secret));
    }
  }

  /**
   * Returns the caller of a valid access token of this node; undefined for any other text. Reads the store each time,
   * so that the end of a grant takes effect on the next request.
   */
  async identify(token: string): Promise<Principal | undefined> {
    if (!token.startsWith(PREFIXES.access)) return undefined;
    const { store, tables, clock, served } = this.#parts;
    const caller = await tables.read(async (own, snapshot) => {
      const secret = await store.secret(own, sha256Hex(token));
      if (secret?.kind !== 'access' || secret.expiresMs <= clock.nowMs()) return undefined;
      return secret.audience === this.#parts.nodeUrl
        ? (await this.#holderOf(own, secret, snapshot))?.client
        : undefined;
    });
    if (caller === undefined || served.isServed(caller.tenantId)) return caller;
    throw new ServiceError('authorization', 'the tenant of this grant is suspended: ask the operator of the node');
  }

  /**
   * Returns the grant of a secret, and its client as a caller. Undefined if the grant, the person's key or the client's
   * key has ended.
   */
  async #holderOf(
    own: ReadableTables,
    { tenantId, grantId }: StoredSecret,
    snapshot: PluginSnapshot,
  ): Promise<{ readonly grant: Grant; readonly client: Principal } | undefined> {
    const { store, keys } = this.#parts;
    const grant = await store.byId(own, tenantId, grantId);
    const client = grant && (await keys.principalOf(grant.keyId, snapshot));
    return grant && client && { grant, client: { ...client, onBehalfOf: grant.personUri } };
  }

  /** Spends a code or refresh token once, and exchanges it. Rejects with the `OAuthError` for the client. */
  async #exchange(
    text: string,
    kind: SecretKind,
    resource: string | undefined,
    work: (own: WritableTables, secret: StoredSecret, grant: Grant) => Promise<Outcome>,
  ): Promise<IssuedTokens> {
    const { store, tables, clock, grants, nodeUrl, served } = this.#parts;
    if (resource !== undefined && !isResource(resource, nodeUrl)) {
      throw new OAuthError('invalid_target', 'the resource belongs to another node');
    }
    const found = await tables.read((own) => store.secret(own, sha256Hex(text)));
    if (found?.kind !== kind || found.audience !== nodeUrl || !served.isServed(found.tenantId)) {
      throw new OAuthError('invalid_grant', UNKNOWN);
    }
    await this.#count(found);
    const outcome = await tables.write(found.tenantId, async (own, transaction): Promise<Outcome> => {
      const secret = await store.secret(own, found.digest);
      const holder = secret && (await this.#holderOf(own, secret, transaction));
      if (secret === undefined || holder === undefined) return { refused: UNKNOWN };
      if (!(await store.spend(own, secret, clock.nowMs())))
        return { refused: 'it was used before', ends: holder.grant };
      return secret.expiresMs <= clock.nowMs() ? { refused: UNKNOWN } : work(own, secret, holder.grant);
    });
    if ('issued' in outcome) return outcome.issued;
    if (outcome.ends !== undefined) await grants.drop(outcome.ends, outcome.ends.entityUri);
    throw new OAuthError('invalid_grant', outcome.refused);
  }

  /** Counts an exchange against the person's quota, because each exchange stores tokens. */
  async #count({ tenantId, grantId }: StoredSecret): Promise<void> {
    const { store, tables, quotas } = this.#parts;
    if (quotas === undefined) return;
    const grant = await tables.read((own) => store.byId(own, tenantId, grantId));
    if (grant !== undefined) await quotas.take({ ...grant, onBehalfOf: grant.personUri }, 'token_issue');
  }

  async #issue(own: WritableTables, grant: Grant): Promise<IssuedTokens> {
    const { store, clock, accessTokenMs } = this.#parts;
    const leftMs = grant.expiresMs - clock.nowMs();
    const lifeMs = Math.min(accessTokenMs, leftMs);
    const access = this.#draw('access', grant, lifeMs);
    const refresh = this.#draw('refresh', grant, leftMs);
    await store.insertSecrets(own, [access.secret, refresh.secret]);
    return {
      accessToken: access.text,
      refreshToken: refresh.text,
      expiresInSeconds: Math.floor(lifeMs / 1_000),
      permissions: grant.permissions,
    };
  }

  #draw(kind: SecretKind, { tenantId, id: grantId }: Grant, lifeMs: number) {
    const { random, clock, nodeUrl } = this.#parts;
    const text = `${PREFIXES[kind]}${encodeBase64Url(random.bytes(SECRET_BYTES))}`;
    const secret: StoredSecret = {
      tenantId,
      digest: sha256Hex(text),
      grantId,
      kind,
      audience: nodeUrl,
      redirectUri: null,
      challenge: null,
      expiresMs: clock.nowMs() + lifeMs,
      spentMs: null,
    };
    return { text, secret };
  }
}

const UNKNOWN = 'it is unknown, expired or revoked';

const challengeOf = (verifier: string): string => encodeBase64Url(Buffer.from(sha256Hex(verifier), 'hex'));
