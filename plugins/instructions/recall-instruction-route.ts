import {
  type Facts,
  memberRefusal,
  type NodeSelf,
  type Route,
  type ServiceNames,
  schema,
  spellList,
} from '../../kernel/plugin-api.ts';
import type { TextRanker, TokenCounter } from '../recall/recall-api.ts';
import type { AuditTokens } from './audit-tokens.ts';
import { partsOfUnitUri, searchTextOf } from './manifest.ts';
import { type AgentParams, agentParams, noManifest } from './manifest-routes.ts';
import type { Manifests } from './manifests.ts';
import { readAgentId } from './read-manifest.ts';
import { type SelectedUnit, selectUnits } from './select-units.ts';
import { contentOf, type UnitContent } from './unit-content.ts';

export interface RecallInstructionParts {
  readonly facts: Facts;
  readonly manifests: Manifests;
  readonly tokens: AuditTokens;
  readonly ranker: TextRanker;
  readonly counter: TokenCounter;
  readonly self: NodeSelf;
}

interface Body {
  readonly intent: string;
  readonly max_chunks: number;
  readonly token_budget: number;
  readonly manifest_hint: readonly string[];
}

/** Specification, limits. */
const MAX_CHUNKS = 20;
const MAX_BUDGET = 100_000;
/** As for the query of a recall (wire contract 1.9). */
const MAX_INTENT_BYTES = 16 * 1024;

type LoadedContent = UnitContent & { readonly tokens: number };

/** `POST /v1/agents/{agent_id}/recall-instruction` (wire contract 15) */
export const recallInstructionRoute = (parts: RecallInstructionParts): Route<AgentParams, undefined, Body> => ({
  method: 'POST',
  path: '/v1/agents/:agent_id/recall-instruction',
  summary: 'The instructions that an agent needs for what it is about to do',
  access: { permission: 'read', refusal: 'instruction_scope_denied' },
  params: agentParams,
  body: schema<Body>({
    type: 'object',
    required: ['intent'],
    properties: {
      intent: { type: 'string', pattern: '\\S' },
      max_chunks: { type: 'integer', minimum: 1, maximum: MAX_CHUNKS, default: 3 },
      token_budget: { type: 'integer', minimum: 1, maximum: MAX_BUDGET, default: 2_000 },
      manifest_hint: { type: 'array', items: { type: 'string' }, default: [] },
    },
  }),
  async handle({ caller, params, body }) {
    const { facts, manifests, tokens, ranker, counter, self } = parts;
    const agentId = readAgentId(params.agent_id);
    const { intent, max_chunks: maxChunks, token_budget: tokenBudget, manifest_hint: hints } = body;
    if (Buffer.byteLength(intent) > MAX_INTENT_BYTES) {
      throw memberRefusal('body.intent', `must be at most ${MAX_INTENT_BYTES} bytes long`);
    }
    const { manifest, selection } = await facts.read(caller, 'recall', async (reader) => {
      const current = await manifests.current(reader, agentId);
      if (current === undefined) throw noManifest();
      const { units } = current.manifest;
      const scores = ranker.rank(intent, units.map(searchTextOf));
      const request = { hints, maxChunks, tokenBudget };
      const selection = await selectUnits<LoadedContent>(units, scores, request, async (unit) => {
        const content = await contentOf(unit, { owner: current.owner, reader, names: self.names });
        return content && { ...content, tokens: counter.count(content.text) };
      });
      return { manifest: current, selection };
    });
    const chunks = spellList(selection.selected, (one) => chunkJson(one, self.names));
    const loaded = selection.selected.slice(0, chunks.count);
    const names = loaded.map(({ unit }) => unit.name);
    const token = await tokens.issue(caller, { manifestId: manifest.fact.id, chunks: names });
    return {
      status: 200,
      body: {
        chunks,
        total_tokens: loaded.reduce((sum, { content }) => sum + content.tokens, 0),
        truncated: selection.truncated || chunks.isCut,
        missed_hints: selection.missedHints,
        audit_token: token,
      },
    };
  },
});

const chunkJson = ({ unit, content, score }: SelectedUnit<LoadedContent>, names: ServiceNames) => ({
  name: unit.name,
  fact_uri: unit.factUri,
  content: content.text,
  tokens: content.tokens,
  valid_until: content.fact.validUntil,
  version: partsOfUnitUri(unit.factUri)?.version ?? null,
  score,
  source: names.name,
});
