import {
  type FactReader,
  type Facts,
  memberRefusal,
  type NodeSelf,
  type Principal,
  requirePermission,
  ServiceError,
  spellList,
} from '../../kernel/plugin-api.ts';
import type { TokenCounter } from '../recall/recall-api.ts';
import type { TextRanker } from '../search/search-api.ts';
import type { AuditTokens } from './audit-tokens.ts';
import { chunkJson } from './instruction-json.ts';
import type { InstructionRequest, Instructions, LoadedInstructions, Unit } from './instructions-api.ts';
import { INSTRUCTION_SCOPE_DENIED, MANIFEST_NOT_FOUND } from './instructions-words.ts';
import { searchTextOf, tokensOf } from './manifest.ts';
import type { CurrentVersion, Manifests } from './manifests.ts';
import { readAgentId, readManifest } from './read-manifest.ts';
import { type Selection, selectUnits } from './select-units.ts';
import { contentOf, type UnitContent, type UnitReading } from './unit-content.ts';

export interface InstructionsParts {
  readonly facts: Facts;
  readonly manifests: Manifests;
  readonly tokens: AuditTokens;
  readonly ranker: TextRanker;
  readonly counter: TokenCounter;
  readonly self: NodeSelf;
}

export const DEFAULT_CHUNKS = 3;
export const MAX_CHUNKS = 20;
export const DEFAULT_BUDGET = 2_000;
export const MAX_BUDGET = 100_000;
/** Equal to the limit for the query of a recall. */
const MAX_INTENT_BYTES = 16 * 1024;

/** Implements `Instructions`. */
export const createInstructions = (parts: InstructionsParts): Instructions => {
  const { facts, manifests, tokens, counter, self } = parts;
  return {
    async publish(caller, agentId, { version, entries, skipCoverageGate = false }) {
      requirePermission(caller, 'write');
      const agent = readAgentId(agentId);
      const manifest = readManifest({ version, entries }, agent, { names: self.names, counter });
      const published = await manifests.publish(caller, agent, manifest, { skipGate: skipCoverageGate });
      return { ...published, tokenCount: tokensOf(manifest, counter) };
    },
    async current(caller, agentId) {
      requirePermission(caller, 'read');
      const agent = readAgentId(agentId);
      return facts.read(caller, 'query', async (reader) => {
        const { manifest, fact, owner } = await currentVersion(manifests, reader, agent);
        const units: Unit[] = [];
        for (const unit of manifest.units)
          units.push(await withEstimate(unit, { owner, reader, names: self.names }, counter));
        const tokenCount = tokensOf(manifest, counter);
        return { version: manifest.version, factUri: fact.entity, tokenCount, units, publishedAt: fact.timestamp };
      });
    },
    async load(caller, agentId, request) {
      requirePermission(caller, 'read', INSTRUCTION_SCOPE_DENIED);
      return loadUnits(parts, caller, readAgentId(agentId), checkRequest(request));
    },
    report: (caller, auditToken, report) => tokens.submit(caller, auditToken, report),
  };
};

const currentVersion = async (manifests: Manifests, reader: FactReader, agentId: string): Promise<CurrentVersion> => {
  const current = await manifests.current(reader, agentId);
  if (current === undefined) throw new ServiceError(MANIFEST_NOT_FOUND, 'nothing is published for this agent');
  return current;
};

const withEstimate = async (unit: Unit, reading: UnitReading, counter: TokenCounter): Promise<Unit> => {
  if (unit.tokenEstimate !== null) return unit;
  const content = await contentOf(unit, reading);
  return { ...unit, tokenEstimate: content === undefined ? 0 : counter.count(content.text) };
};

/** Returns the request with its defaults. Throws `validation` for a request outside its bounds. */
const checkRequest = (request: InstructionRequest): Required<InstructionRequest> => {
  const { intent, maxChunks = DEFAULT_CHUNKS, tokenBudget = DEFAULT_BUDGET, hints = [] } = request;
  if (intent.trim() === '') throw memberRefusal('body.intent', 'must not be empty');
  if (Buffer.byteLength(intent) > MAX_INTENT_BYTES) {
    throw memberRefusal('body.intent', `must be at most ${MAX_INTENT_BYTES} bytes long`);
  }
  checkCount(maxChunks, MAX_CHUNKS, 'body.max_chunks');
  checkCount(tokenBudget, MAX_BUDGET, 'body.token_budget');
  return { intent, maxChunks, tokenBudget, hints };
};

const checkCount = (count: number, most: number, path: string): void => {
  if (!Number.isInteger(count) || count < 1 || count > most) {
    throw memberRefusal(path, `must be an integer from 1 to ${most}`);
  }
};

type LoadedContent = UnitContent & { readonly tokens: number };

const loadUnits = async (
  parts: InstructionsParts,
  caller: Principal,
  agentId: string,
  request: Required<InstructionRequest>,
): Promise<LoadedInstructions> => {
  const { facts, manifests, tokens, ranker, counter, self } = parts;
  const { manifestId, selection } = await facts.read(caller, 'recall', async (reader) => {
    const { manifest, fact, owner } = await currentVersion(manifests, reader, agentId);
    const { units } = manifest;
    const scores = await ranker.rank(request.intent, units.map(searchTextOf));
    const selection = await selectUnits<LoadedContent>(units, scores, request, async (unit) => {
      const content = await contentOf(unit, { owner, reader, names: self.names });
      return content && { ...content, tokens: counter.count(content.text) };
    });
    return { manifestId: fact.id, selection };
  });
  const loaded = await withinOneAnswer(selection, self);
  const names = loaded.chunks.map(({ unit }) => unit.name);
  return { ...loaded, auditToken: await tokens.issue(caller, { manifestId, chunks: names }) };
};

/** Drops chunks beyond the size of one reply. The audit token names only chunks that the agent gets. */
const withinOneAnswer = async (
  { selected, truncated, missedHints }: Selection<LoadedContent>,
  { names }: NodeSelf,
): Promise<Omit<LoadedInstructions, 'auditToken'>> => {
  const all = selected.map(({ unit, content: { text, tokens, fact }, score }) => ({
    unit,
    text,
    tokens,
    validUntil: fact.validUntil,
    score,
  }));
  const { count, isCut } = await spellList(all, (chunk) => chunkJson(chunk, names));
  const chunks = all.slice(0, count);
  const totalTokens = chunks.reduce((sum, { tokens }) => sum + tokens, 0);
  return { chunks, totalTokens, truncated: truncated || isCut, missedHints };
};
