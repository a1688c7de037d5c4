import {
  decodeBase64Url,
  encodeBase64Url,
  hasForbiddenCodePoint,
  verifyEd25519,
} from '../../../kernel/internal-api.ts';
import {
  type Clock,
  formatInstant,
  type NodeSelf,
  type PluginTables,
  type Principal,
  type Random,
  type ReadableTables,
  requirePermission,
  ServiceError,
} from '../../../kernel/plugin-api.ts';
import { FEDERATE } from '../../keys/keys-api.ts';
import type { Tenancy } from '../../multi-tenant/multi-tenant-api.ts';
import type { NodeIdentity } from '../../node-info/node-info-api.ts';
import type { PeerRegistry } from '../federation-api.ts';
import { PEER_APPROVAL_FAILED, PEER_REVOKED } from '../federation-events.ts';
import {
  type DeclarationDocument,
  type DeclareRequest,
  declarationOf,
  isBareAddress,
  isNodeId,
  type ReadDeclaration,
  readDeclaration,
  readNodeUrl,
  signedBytes,
  urlOfNodeId,
} from './declaration.ts';
import { type CodeFault, codeFault, codeOf } from './declaration-code.ts';
import type { StoredPeering } from './peer-row.ts';
import { MAX_PEERS_PER_TENANT, type PeerStore } from './peer-store.ts';
import type { PeerKey } from './peering.ts';
import { newPeering, revoked, withOurs, withTheirs, withWaiting } from './peering-changes.ts';
import { approvalOf, peerEvent } from './peering-events.ts';
import {
  federationDisabled,
  noSuchPeer,
  refuseStale,
  revokedMeanwhile,
  tooMany,
  unverified,
  wrongAddress,
} from './peering-refusals.ts';
import type { StoredFederationLog } from './stored-federation-log.ts';
import type { PeerReader, Verification } from './verify-peer.ts';

export interface PeerRegistryParts {
  readonly enabled: boolean;
  readonly self: NodeSelf;
  readonly identity: NodeIdentity;
  readonly store: PeerStore;
  readonly tables: PluginTables;
  readonly reader: PeerReader;
  readonly federationLog: StoredFederationLog;
  readonly clock: Clock;
  readonly random: Random;
  /** Undefined on a node with one tenant. */
  readonly tenancy: Pick<Tenancy, 'isOn'> | undefined;
}

export class StoredPeerRegistry implements PeerRegistry {
  readonly #parts: PeerRegistryParts;

  constructor(parts: PeerRegistryParts) {
    this.#parts = parts;
  }

  async register(
    caller: Principal,
    document: DeclarationDocument,
    { nodeUrl, code }: { readonly nodeUrl?: string | undefined; readonly code?: string | undefined } = {},
  ): Promise<StoredPeering> {
    requirePermission(caller, FEDERATE);
    const { self, clock } = this.#parts;
    const declaration = readDeclaration(document, { selfId: self.nodeId, nowMs: clock.nowMs() });
    this.#requireFederation();
    const fault = code === undefined ? undefined : faultOf(declaration, code);
    if (fault !== undefined) {
      throw await this.#refused(caller, declaration.declaringNodeId, undefined, fault.why, { hint: fault.hint });
    }
    return declaration.declaringNodeId === self.nodeId
      ? this.#registerOurs(caller, declaration, nodeUrl)
      : this.#registerTheirs(caller, declaration, nodeUrl);
  }

  async declare(caller: Principal, { peer, scopes, direction, mayEndOthers }: DeclareRequest) {
    requirePermission(caller, FEDERATE);
    this.#requireFederation();
    const { self, identity, clock } = this.#parts;
    const { nodeId, nodeUrl } = await this.#find(peer, caller);
    const unsigned: DeclarationDocument = {
      declaring_node_id: self.nodeId,
      target_node_id: nodeId,
      allowed_scopes: scopes ?? ['public'],
      direction: direction ?? 'bidirectional',
      ...(mayEndOthers === undefined ? {} : { may_end_others: mayEndOthers }),
      signed_at: formatInstant(clock.nowMs()),
      node_url: self.nodeUrl,
      federation_pubkey: identity.publicKey,
    };
    const declaration = { ...unsigned, declaration_sig: encodeBase64Url(identity.sign(signedBytes(unsigned))) };
    const peering = await this.register(caller, declaration, { nodeUrl });
    return { declaration, code: codeOf(declaration), peering };
  }

  async list(caller: Principal): Promise<readonly StoredPeering[]> {
    requirePermission(caller, FEDERATE);
    const { store } = this.#parts;
    return store.read((own) => store.ofTenant(own, caller.tenantId));
  }

  async revoke(caller: Principal, peerId: string): Promise<StoredPeering> {
    requirePermission(caller, 'admin');
    const { store, tables, federationLog, clock } = this.#parts;
    // An id with such characters cannot be stored, so it does not exist.
    if (hasForbiddenCodePoint(peerId)) throw noSuchPeer();
    return tables.write(caller.tenantId, async (own, transaction) => {
      const before = await store.byId(own, caller.tenantId, peerId);
      if (before === undefined) throw noSuchPeer();
      if (before.status === 'revoked') return before;
      const after = revoked(before, clock.nowMs());
      await store.update(own, after);
      await federationLog.record([peerEvent(PEER_REVOKED, after, { by: caller.entityUri })], transaction);
      return after;
    });
  }

  events: PeerRegistry['events'] = async (caller, filter, page) => {
    requirePermission(caller, FEDERATE);
    return this.#parts.federationLog.entries(caller.tenantId, filter, page);
  };

  #requireFederation(): void {
    if (!this.#parts.enabled) throw federationDisabled();
  }

  /** Finds the node with this address or id. An id that looks like an address counts once the node is on file. */
  async #find(peer: string, caller: Principal): Promise<{ readonly nodeId: string; readonly nodeUrl?: string }> {
    if (!/^https?:\/\//i.test(peer)) {
      if (isNodeId(peer) && (!isBareAddress(peer) || (await this.#isOnFile(peer, caller)))) return { nodeId: peer };
      throw new ServiceError('validation', 'another node is named by its http or https address, or by its id', {
        hint: 'for example https://beta.example or svc://node.beta.example',
      });
    }
    const nodeUrl = readNodeUrl(peer, 'body.peer');
    const reading = await this.#parts.reader.read(nodeUrl);
    if (reading.kind === 'read') return { nodeId: reading.identity.nodeId, nodeUrl };
    throw new ServiceError('validation', `the other node could not be asked who it is: ${reading.why}`, {
      hint: 'check the address and that the node runs, or name the node by its id, which needs no connection',
    });
  }

  async #isOnFile(nodeId: string, { tenantId }: Principal): Promise<boolean> {
    const { store } = this.#parts;
    return (await store.read((own) => store.ofNodes(own, tenantId, [nodeId]))).length > 0;
  }

  async #registerOurs(
    caller: Principal,
    declaration: ReadDeclaration,
    nodeUrl: string | undefined,
  ): Promise<StoredPeering> {
    const { identity, clock, tenancy } = this.#parts;
    // Tenants sign with one key, so the signature does not tell that an administrator of this tenant has declared it.
    if (tenancy?.isOn === true) requirePermission(caller, 'admin');
    const nodeId = declaration.targetNodeId ?? '';
    const signature = decodeBase64Url(declaration.signature) ?? new Uint8Array();
    const bytes = signedBytes(declaration.document);
    const keys = [identity, ...identity.retired].map(({ publicKey }) => decodeBase64Url(publicKey) ?? new Uint8Array());
    if (!keys.some((key) => verifyEd25519(key, bytes, signature))) {
      throw await this.#refused(caller, nodeId, undefined, 'the signature is not one of this node');
    }
    return this.#change(caller, nodeId, (before) => {
      refuseStale(declaration, before.ourFloorMs);
      return withOurs(before, declaration, { nodeUrl, nowMs: clock.nowMs() });
    });
  }

  async #registerTheirs(
    caller: Principal,
    declaration: ReadDeclaration,
    nodeUrl: string | undefined,
  ): Promise<StoredPeering> {
    const { reader, clock } = this.#parts;
    const nodeId = declaration.declaringNodeId;
    const url = nodeUrl === undefined ? addressOf(declaration) : readNodeUrl(nodeUrl);
    const before = await this.#known(caller, nodeId);
    refuseStale(declaration, before?.theirFloorMs ?? null);
    const refusal = await reader.refusal(url);
    if (refusal !== undefined) throw wrongAddress(refusal);
    const pinned = before === undefined || before.takesAnyKey ? [] : before.keys;
    const verification = await reader.verify(declaration, url, pinned);
    const { kind } = verification;
    if (kind === 'silent') return this.#keepWaiting(caller, declaration, url, before, verification.why);
    if (kind !== 'verified') throw await this.#refused(caller, nodeId, before, verification.why, { kind });
    return this.#change(caller, nodeId, (stored) => {
      refuseStale(declaration, stored.theirFloorMs);
      // Another declaration may have pinned a key since this one was verified.
      if (!follows(verification.keys, stored)) throw unverified('other-key', 'another key was pinned meanwhile');
      return withTheirs(stored, declaration, { ...verification, nodeUrl: url, nowMs: clock.nowMs() });
    });
  }

  /** Stores a declaration that is not verified yet. Changes nothing if the keys of the peering are known. */
  async #keepWaiting(
    caller: Principal,
    declaration: ReadDeclaration,
    nodeUrl: string,
    before: StoredPeering | undefined,
    why: string,
  ): Promise<StoredPeering> {
    const nodeId = declaration.declaringNodeId;
    if (before !== undefined && !before.takesAnyKey) {
      const reason = `the signature is not one of the pinned key, and no other key could be looked for: ${why}`;
      throw await this.#refused(caller, nodeId, before, reason);
    }
    return this.#change(caller, nodeId, (stored) => {
      refuseStale(declaration, stored.theirFloorMs);
      refuseStale(declaration, waitingMs(stored));
      return withWaiting(stored, declaration, { nodeUrl, nowMs: this.#parts.clock.nowMs() });
    });
  }

  async #known({ tenantId }: Principal, nodeId: string, own?: ReadableTables): Promise<StoredPeering | undefined> {
    const { store } = this.#parts;
    const find = async (tables: ReadableTables) => (await store.ofNodes(tables, tenantId, [nodeId]))[0];
    return own === undefined ? store.read(find) : find(own);
  }

  /**
   * Changes or creates the tenant's peering with a node. `change` must be a pure function, because it is called several
   * times.
   */
  async #change(
    caller: Principal,
    nodeId: string,
    change: (before: StoredPeering) => StoredPeering,
  ): Promise<StoredPeering> {
    const { store, tables, federationLog, random, clock } = this.#parts;
    const { tenantId } = caller;
    const first = newPeering(caller, { peerId: random.uuid(), nodeId, nowMs: clock.nowMs() });
    const known = await this.#known(caller, nodeId);
    // Throws for an impossible change before anything is written.
    change(known ?? first);
    return tables.write(tenantId, async (own, transaction) => {
      const stored = await this.#known(caller, nodeId, own);
      if (stored?.status === 'revoked' && known?.status !== 'revoked') throw revokedMeanwhile();
      if (stored === undefined && (await store.count(own, tenantId)) >= MAX_PEERS_PER_TENANT) throw tooMany();
      const before = stored ?? first;
      const after = change(before);
      if (stored === undefined) await store.insert(own, after);
      else await store.update(own, after);
      await federationLog.record(approvalOf(before, after, caller.entityUri), transaction);
      return after;
    });
  }

  /** Logs that a node differs from the node that a declaration names. Returns the error to throw. */
  async #refused(
    caller: Principal,
    nodeId: string,
    before: StoredPeering | undefined,
    why: string,
    { kind = 'mismatch', hint }: { readonly kind?: Verification['kind']; readonly hint?: string } = {},
  ): Promise<ServiceError> {
    const known = before ?? { tenantId: caller.tenantId, peerId: null, nodeId };
    await this.#parts.federationLog.recordRejections([
      peerEvent(PEER_APPROVAL_FAILED, known, { by: caller.entityUri, reason: why }),
    ]);
    return unverified(kind, why, hint);
  }
}

/** Returns why a declaration is not the one that two people have compared; undefined if it is. */
const faultOf = ({ publicKey, document }: ReadDeclaration, code: string): CodeFault | undefined => {
  const fault = codeFault(document, code);
  if (fault !== undefined || publicKey !== null) return fault;
  return {
    why: 'it names no key, so its code vouches for none',
    hint: 'ask its operator for one that "fact-memory-node peer declare" has made',
  };
};

const addressOf = ({ nodeUrl, declaringNodeId }: ReadDeclaration): string => {
  const url = nodeUrl ?? urlOfNodeId(declaringNodeId);
  if (url !== null) return url;
  throw wrongAddress('is required: the id of the declaring node names no host');
};

const follows = (keys: readonly PeerKey[], { takesAnyKey, keys: [pinned] }: StoredPeering): boolean =>
  takesAnyKey || keys.some(({ keyId }) => keyId === pinned?.keyId);

const waitingMs = ({ waiting }: StoredPeering): number | null =>
  waiting === null ? null : declarationOf(waiting).signedMs;
