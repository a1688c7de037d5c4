import { ATTACKED_AGENT, GOOD_UNIT } from './hostile-units.ts';
import { type RouteRow, STANDARD_BODY_BYTES } from './route-row.ts';

const MANIFEST = `/v1/agents/${ATTACKED_AGENT}/instruction-manifest`;

/** Routes of the plugin `instructions`. */
export const INSTRUCTION_ROWS: readonly RouteRow[] = [
  {
    route: 'PUT /v1/agents/:agent_id/instruction-manifest',
    path: () => MANIFEST,
    parameter: (text) => `/v1/agents/${text}/instruction-manifest`,
    body: {
      valid: { version: '"v1"', entries: `[${JSON.stringify(GOOD_UNIT)}]`, skip_coverage_gate: 'true' },
      kinds: { version: 'uri', entries: 'units', skip_coverage_gate: 'boolean' },
      required: ['version', 'entries'],
      free: ['version'],
      maxBytes: STANDARD_BODY_BYTES,
    },
    accepts: 200,
    lacking: ['read', 'admin'],
  },
  {
    route: 'GET /v1/agents/:agent_id/instruction-manifest',
    path: () => MANIFEST,
    parameter: (text) => `/v1/agents/${text}/instruction-manifest`,
    accepts: 200,
    lacking: ['write', 'admin'],
  },
  {
    route: 'POST /v1/agents/:agent_id/recall-instruction',
    path: () => `/v1/agents/${ATTACKED_AGENT}/recall-instruction`,
    parameter: (text) => `/v1/agents/${text}/recall-instruction`,
    body: {
      valid: { intent: '"deploy"', max_chunks: '3', token_budget: '100', manifest_hint: '["deploy"]' },
      kinds: { intent: 'note', max_chunks: 'chunkCount', token_budget: 'budget', manifest_hint: 'hints' },
      required: ['intent'],
      free: ['intent'],
      maxBytes: STANDARD_BODY_BYTES,
    },
    accepts: 200,
    lacking: ['write', 'admin'],
  },
  {
    route: 'POST /v1/instruction/audit',
    path: () => '/v1/instruction/audit',
    body: {
      valid: { audit_token: '"audi_AAAAAAAAAAAAAAAAAAAAAA"', used_chunks: '["deploy"]', missed_chunks: '[]' },
      kinds: { audit_token: 'uri', used_chunks: 'reports', missed_chunks: 'reports' },
      required: ['audit_token'],
      free: ['audit_token'],
      maxBytes: STANDARD_BODY_BYTES,
    },
    accepts: 422,
  },
];
