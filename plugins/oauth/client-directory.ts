import { encodeBase64Url } from '../../kernel/internal-api.ts';
import {
  type Clock,
  DEFAULT_TENANT,
  type PluginTables,
  type Random,
  type ReadableTables,
} from '../../kernel/plugin-api.ts';
import { type ClientDocuments, isDocumentAddress } from './client-document.ts';
import type { ClientMetadata } from './client-metadata.ts';
import { OAuthError } from './oauth-error.ts';
import { CLIENTS_TABLE, GRANTS_TABLE } from './oauth-migrations.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
/** The time after which the node removes a registered client that no person has given access. */
const UNUSED_MS = HOUR_MS;
const FORGOTTEN_MS = 90 * DAY_MS;
/** The maximum number of registered clients without access. Anybody can register, so their number needs a limit. */
export const MAX_UNUSED_CLIENTS = 500;
const ID_BYTES = 16;

/** A client that may ask for access. */
export interface OAuthClient extends ClientMetadata {
  readonly clientId: string;
}

export interface ClientDirectoryParts {
  readonly tables: PluginTables;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly random: Random;
  readonly documents: ClientDocuments;
}

/** Finds clients by the address of their metadata document, and stores clients that register themselves. */
export class ClientDirectory {
  readonly #parts: ClientDirectoryParts;

  constructor(parts: ClientDirectoryParts) {
    this.#parts = parts;
  }

  /** Returns the client with this id. Rejects with `invalid_client` for an unknown one. */
  async find(clientId: string): Promise<OAuthClient> {
    const { documents, tables } = this.#parts;
    if (isDocumentAddress(clientId)) return { clientId, ...(await documents.find(clientId)) };
    const [row] = await tables.read((own) => own.select(CLIENTS_TABLE, { client_id: clientId }));
    if (row === undefined) throw new OAuthError('invalid_client', 'the node does not know this client');
    return { clientId, name: String(row['name']), redirectUris: String(row['redirect_uris']).split(' ') };
  }

  /** Stores a client under a new id. Rejects with `temporarily_unavailable` while too many clients are unused. */
  async register({
    name,
    redirectUris,
  }: ClientMetadata): Promise<{ readonly clientId: string; readonly createdMs: number }> {
    const { tables, random, clock } = this.#parts;
    const clientId = `client-${encodeBase64Url(random.bytes(ID_BYTES))}`;
    const createdMs = clock.nowMs();
    await tables.write(DEFAULT_TENANT, async (own) => {
      await own(CLIENTS_TABLE)
        .whereNull('used_ms')
        .where('created_ms', '<=', createdMs - UNUSED_MS)
        .delete();
      if ((await unusedCount(own)) >= MAX_UNUSED_CLIENTS) {
        throw new OAuthError('temporarily_unavailable', 'too many clients have registered: try again in an hour');
      }
      await own.insertRows(CLIENTS_TABLE, [
        {
          client_id: clientId,
          name,
          redirect_uris: redirectUris.join(' '),
          created_ms: createdMs,
          used_ms: null,
        },
      ]);
    });
    return { clientId, createdMs };
  }

  /** Stores the current time as the last time at which a person gave the client access. */
  async use(clientId: string): Promise<void> {
    const { tables, clock } = this.#parts;
    await tables(CLIENTS_TABLE).where({ client_id: clientId }).update({ used_ms: clock.nowMs() });
  }

  /** Removes clients without a grant that last received access at least 90 days ago. */
  async prune(): Promise<void> {
    const { tables, clock } = this.#parts;
    await tables(CLIENTS_TABLE)
      .where('used_ms', '<=', clock.nowMs() - FORGOTTEN_MS)
      .whereNotIn('client_id', tables(GRANTS_TABLE).select('client_id'))
      .delete();
  }
}

const unusedCount = async (own: ReadableTables): Promise<number> => {
  const [row] = (await own(CLIENTS_TABLE).whereNull('used_ms').count({ n: '*' })) as { n: number | string }[];
  return Number(row?.n ?? 0);
};
