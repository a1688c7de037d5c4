import { countNoun } from '../../kernel/command-api.ts';
import { isIntact } from '../../kernel/internal-api.ts';
import {
  type FactReader,
  type Facts,
  type NodeSelf,
  nodePrincipal,
  noted,
  type PluginTransaction,
  type Principal,
  ServiceError,
  type StoredFact,
} from '../../kernel/plugin-api.ts';
import type { AuditLog } from '../audit/audit-api.ts';
import { RequesterNote } from '../facts/facts-api.ts';
import { claimBy } from './agent-claims.ts';
import {
  MANIFEST,
  MANIFEST_COVERAGE_FAILURE,
  MANIFEST_PUBLISH,
  MANIFEST_VERSION_CONFLICT,
} from './instructions-words.ts';
import { type Manifest, manifestUri } from './manifest.ts';
import { isErased, manifestOf, manifestText } from './manifest-json.ts';
import type { ManifestStore } from './manifest-store.ts';
import { contentOf } from './unit-content.ts';

export interface ManifestsParts {
  readonly facts: Facts;
  readonly store: ManifestStore;
  readonly self: NodeSelf;
  readonly audit: AuditLog | undefined;
}

export interface CurrentVersion {
  readonly manifest: Manifest;
  readonly fact: StoredFact;
  /** entity_uri of the owner, whose facts have authority. */
  readonly owner: string;
}

/** For each unit name, true if the publisher can read a text of the unit. In the order of the manifest. */
export type Coverage = ReadonlyMap<string, boolean>;

export interface Published {
  readonly factUri: string;
  readonly coverage: Coverage;
}

/**
 * The manifests of all agents. The node stores each version as a fact, and the newest publication is the current one.
 */
export class Manifests {
  readonly #parts: ManifestsParts;

  constructor(parts: ManifestsParts) {
    this.#parts = parts;
  }

  /** Returns the current manifest. Undefined if the reader can see none. */
  async current(reader: FactReader, agentId: string): Promise<CurrentVersion | undefined> {
    const agent = await this.#parts.store.agent(reader.snapshot, reader.caller.tenantId, agentId);
    // Looks up an unknown agent with the same queries as a hidden one, so that timing does not distinguish them.
    const [fact] = await reader.visible([agent?.factId ?? '']);
    if (agent === undefined || fact === undefined || isErased(fact) || !isIntact(fact)) return undefined;
    return { manifest: manifestOf(fact), fact, owner: agent.owner };
  }

  /**
   * Stores a version and makes it the current one. If the version exists with the same content, returns it unchanged.
   * Throws the errors of `claimBy` if the caller may not publish for this agent. Throws `manifest_version_conflict` for
   * other content, and `manifest_coverage_failure` unless the gate is skipped.
   */
  async publish(
    caller: Principal,
    agentId: string,
    manifest: Manifest,
    { skipGate }: { readonly skipGate: boolean },
  ): Promise<Published> {
    if (!caller.allowedScopes.has('local')) {
      throw new ServiceError('authorization', 'manifests are facts of scope local, which the key may not write');
    }
    for (;;) {
      const { stored, coverage } = await this.#look(caller, agentId, manifest);
      if (stored !== undefined) return { factUri: stored.entity, coverage };
      if (!skipGate) refuseGaps(coverage);
      const factUri = await this.#store(caller, agentId, manifest);
      if (factUri !== null) return { factUri, coverage };
    }
  }

  #look(caller: Principal, agentId: string, manifest: Manifest) {
    const { facts, store, self } = this.#parts;
    return facts.read(caller, 'query', async (reader) => {
      const known = await store.agent(reader.snapshot, caller.tenantId, agentId);
      const owner = claimBy(known, agentId, caller, self.names);
      const stored = await store.version(reader.snapshot, caller.tenantId, agentId, manifest.version);
      if (stored !== undefined && stored.value.v !== manifestText(manifest)) throw versionTaken();
      const coverage = new Map<string, boolean>();
      for (const unit of manifest.units) {
        coverage.set(unit.name, (await contentOf(unit, { owner, reader, names: self.names })) !== undefined);
      }
      return { stored, coverage };
    });
  }

  /** Returns null if another caller has published this version at the same time. */
  async #store(caller: Principal, agentId: string, manifest: Manifest): Promise<string | null> {
    const { facts, store, self } = this.#parts;
    const { tenantId } = caller;
    let overtaken: ServiceError | undefined;
    const draft = {
      entity: manifestUri(agentId, manifest.version),
      relation: MANIFEST.id,
      value: { type: 'text', v: manifestText(manifest), interpretAs: 'content' },
      source: self.names.systemSource,
      confidence: 1,
      scope: 'local',
      notes: noted(RequesterNote, caller.entityUri),
    } as const;
    let owner: string | undefined;
    try {
      await facts.append(draft, nodePrincipal(self.names, tenantId), {
        origin: 'plugin',
        exclusive: true,
        guard: async (transaction) => {
          owner = claimBy(await store.agent(transaction, tenantId, agentId), agentId, caller, self.names);
          const known = await store.version(transaction, tenantId, agentId, manifest.version);
          if (known === undefined) return;
          overtaken = new ServiceError('conflict', 'this version is being published');
          throw overtaken;
        },
        beforeCommit: async (transaction, [verdict]) => {
          if (verdict?.kind !== 'stored' || owner === undefined) return;
          const factId = verdict.view.fact.id;
          await store.makeCurrent(transaction, tenantId, agentId, { factId, owner });
          await this.#record(caller, factId, agentId, manifest, transaction);
        },
      });
      return draft.entity;
    } catch (error) {
      if (overtaken !== undefined && error === overtaken) return null;
      throw error;
    }
  }

  async #record(
    { tenantId, entityUri, oidcSub }: Principal,
    factId: string,
    agentId: string,
    { version, units }: Manifest,
    transaction: PluginTransaction,
  ): Promise<void> {
    const detail = { agent_id: agentId, version, units: units.length };
    const entry = { event: MANIFEST_PUBLISH, tenantId, entityUri, oidcSub, factId, detail };
    await this.#parts.audit?.record(entry, transaction);
  }
}

const versionTaken = (): ServiceError =>
  new ServiceError(MANIFEST_VERSION_CONFLICT, 'this version is published with other content: choose another version');

const MOST_NAMED = 10;

const refuseGaps = (coverage: Coverage): void => {
  const gaps = [...coverage.values()].flatMap((isCovered, at) => (isCovered ? [] : [at]));
  if (gaps.length === 0) return;
  const message = 'has no live fact with authority that this key may read';
  const violations = gaps.slice(0, MOST_NAMED).map((at) => ({ path: `body.entries[${at}].fact_uri`, message }));
  const missing = `a live fact with authority is missing for ${gaps.length} of ${countNoun(coverage.size, 'unit')}`;
  throw new ServiceError(MANIFEST_COVERAGE_FAILURE, missing, {
    violations,
    hint: 'assert what they say first, as the owner of the manifest or as an instruction, pin a text by cid, or set skip_coverage_gate',
  });
};
