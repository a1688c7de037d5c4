import { objectRequiring } from '../../kernel/internal-api.ts';
import { NO_BODY, type Route, type ServiceNames } from '../../kernel/plugin-api.ts';
import { DEFAULT_BUDGET, DEFAULT_CHUNKS, MAX_BUDGET, MAX_CHUNKS } from './create-instructions.ts';
import {
  CURRENT_MANIFEST_JSON,
  currentManifestJson,
  LOADED_JSON,
  loadedJson,
  PUBLISHED_JSON,
  publishedJson,
} from './instruction-json.ts';
import type { Instructions } from './instructions-api.ts';
import { INSTRUCTION_SCOPE_DENIED } from './instructions-words.ts';
import { SHOWN_MANIFEST } from './shown-manifest.ts';

interface AgentParams {
  readonly agent_id: string;
}

const agentParams = objectRequiring<AgentParams>(['agent_id'], { agent_id: { type: 'string' } });

const MANIFEST_PATH = '/v1/agents/:agent_id/instruction-manifest';

interface ManifestBody {
  readonly version: string;
  readonly entries: readonly unknown[];
  readonly skip_coverage_gate: boolean;
}

/** `PUT /v1/agents/{agent_id}/instruction-manifest` */
export const publishManifestRoute = (instructions: Instructions): Route<AgentParams, undefined, ManifestBody> => ({
  method: 'PUT',
  path: MANIFEST_PATH,
  summary: "Publishes a version of an agent's instruction manifest",
  access: { permission: 'write' },
  params: agentParams,
  body: objectRequiring<ManifestBody>(['version', 'entries'], {
    version: { type: 'string' },
    // `Instructions` checks the entries, because they have error codes of their own.
    entries: { type: 'array' },
    skip_coverage_gate: { type: 'boolean', default: false },
  }),
  bodyShown: SHOWN_MANIFEST,
  answers: { 200: { json: PUBLISHED_JSON } },
  example: {
    params: { agent_id: 'indexer' },
    body: {
      version: 'v1',
      entries: [
        {
          name: 'release-notes',
          description: 'How release notes of project Atlas are written',
          fact_uri: 'instruction:default/agent/indexer/release-notes/v1',
          load_triggers: { intents: ['write release notes'], keywords: ['release'], task_types: ['writing'] },
          token_estimate: 40,
        },
      ],
      skip_coverage_gate: false,
    },
  },
  async handle({ caller, params, body: { version, entries, skip_coverage_gate: skipCoverageGate } }) {
    const draft = { version, entries, skipCoverageGate };
    return { status: 200, body: publishedJson(await instructions.publish(caller, params.agent_id, draft)) };
  },
});

/** `GET /v1/agents/{agent_id}/instruction-manifest` */
export const currentManifestRoute = (instructions: Instructions): Route<AgentParams> => ({
  method: 'GET',
  path: MANIFEST_PATH,
  summary: "An agent's current instruction manifest",
  access: { permission: 'read' },
  params: agentParams,
  answers: { 200: { json: CURRENT_MANIFEST_JSON } },
  example: { params: { agent_id: 'indexer' } },
  async handle({ caller, params }) {
    return { status: 200, body: currentManifestJson(await instructions.current(caller, params.agent_id)) };
  },
});

interface LoadBody {
  readonly intent: string;
  readonly max_chunks: number;
  readonly token_budget: number;
  readonly manifest_hint: readonly string[];
}

/** `POST /v1/agents/{agent_id}/recall-instruction` */
export const recallInstructionRoute = (
  instructions: Instructions,
  names: ServiceNames,
): Route<AgentParams, undefined, LoadBody> => ({
  method: 'POST',
  path: '/v1/agents/:agent_id/recall-instruction',
  // The answer contains an audit token and the texts of authors.
  holdsSecret: true,
  summary: 'The instructions that an agent needs for what it is about to do',
  // Reads units of the manifest until enough of them fit, like a recall.
  cost: 250,
  access: { permission: 'read', refusal: INSTRUCTION_SCOPE_DENIED },
  params: agentParams,
  body: objectRequiring<LoadBody>(['intent'], {
    intent: { type: 'string', pattern: '\\S' },
    max_chunks: { type: 'integer', minimum: 1, maximum: MAX_CHUNKS, default: DEFAULT_CHUNKS },
    token_budget: { type: 'integer', minimum: 1, maximum: MAX_BUDGET, default: DEFAULT_BUDGET },
    manifest_hint: { type: 'array', items: { type: 'string' }, default: [] },
  }),
  answers: { 200: { json: LOADED_JSON } },
  example: {
    params: { agent_id: 'indexer' },
    body: { intent: 'write release notes', max_chunks: 4, token_budget: 800, manifest_hint: ['release-notes'] },
  },
  async handle({ caller, params, body }) {
    const { intent, max_chunks: maxChunks, token_budget: tokenBudget, manifest_hint: hints } = body;
    const request = { intent, maxChunks, tokenBudget, hints };
    return { status: 200, body: loadedJson(await instructions.load(caller, params.agent_id, request), names) };
  },
});

interface ReportBody {
  readonly audit_token: string;
  readonly used_chunks?: readonly unknown[] | null;
  readonly missed_chunks?: readonly unknown[] | null;
}

const CHUNKS = { type: ['array', 'null'], maxItems: 1_000 } as const;

/** `POST /v1/instruction/audit` */
export const instructionAuditRoute = (instructions: Instructions): Route<undefined, undefined, ReportBody> => ({
  method: 'POST',
  path: '/v1/instruction/audit',
  summary: 'Reports which of the instructions that were loaded an agent has used',
  access: { permission: 'any' },
  body: objectRequiring<ReportBody>(['audit_token'], {
    audit_token: { type: 'string' },
    used_chunks: { ...CHUNKS, description: 'Names of units that the agent used.' },
    missed_chunks: { ...CHUNKS, description: 'Names of units that it would have needed.' },
  }),
  answers: { 204: NO_BODY },
  example: {
    body: {
      audit_token: 'audi_Zm9yLW9uZS1sb2FkaW5nLW9mLW9uZS1hZ2VudA',
      used_chunks: ['release-notes'],
      missed_chunks: [],
    },
  },
  async handle({ caller, body: { audit_token, used_chunks, missed_chunks } }) {
    await instructions.report(caller, audit_token, { used: used_chunks ?? [], missed: missed_chunks ?? [] });
    return { status: 204 };
  },
});
