import { type Facts, type NodeSelf, type Route, ServiceError, schema } from '../../kernel/plugin-api.ts';
import type { TokenCounter } from '../recall/recall-api.ts';
import { tokensOf, type Unit } from './manifest.ts';
import { unitJson } from './manifest-json.ts';
import type { Manifests } from './manifests.ts';
import { type ManifestBody, readAgentId, readManifest } from './read-manifest.ts';
import { contentOf, type UnitReading } from './unit-content.ts';

export interface AgentParams {
  readonly agent_id: string;
}

export const agentParams = schema<AgentParams>({
  type: 'object',
  properties: { agent_id: { type: 'string' } },
  required: ['agent_id'],
});

export interface ManifestRouteParts {
  readonly facts: Facts;
  readonly manifests: Manifests;
  readonly counter: TokenCounter;
  readonly self: NodeSelf;
}

const PATH = '/v1/agents/:agent_id/instruction-manifest';

/** `PUT /v1/agents/{agent_id}/instruction-manifest` (wire contract 15) */
export const publishManifestRoute = (parts: ManifestRouteParts): Route<AgentParams, undefined, ManifestBody> => ({
  method: 'PUT',
  path: PATH,
  summary: "Publishes a version of an agent's instruction manifest",
  access: { permission: 'write' },
  params: agentParams,
  body: schema<ManifestBody>({
    type: 'object',
    required: ['version', 'entries'],
    properties: {
      version: { type: 'string' },
      // Entries are read by hand: what is wrong with one has a code of its own.
      entries: { type: 'array' },
      skip_coverage_gate: { type: 'boolean', default: false },
    },
  }),
  async handle({ caller, params, body }) {
    const { manifests, counter, self } = parts;
    const agentId = readAgentId(params.agent_id);
    const manifest = readManifest(body, agentId, { names: self.names, counter });
    const skipGate = body.skip_coverage_gate;
    const { factUri, coverage } = await manifests.publish(caller, agentId, manifest, { skipGate });
    const report = [...coverage].map(([unit, passed]) => ({ unit, coverage_pct: passed ? 1 : 0, passed }));
    return {
      status: 200,
      body: { fact_uri: factUri, token_count: tokensOf(manifest, counter), coverage_report: report },
    };
  },
});

/** `GET /v1/agents/{agent_id}/instruction-manifest` */
export const getManifestRoute = ({ facts, manifests, counter, self }: ManifestRouteParts): Route<AgentParams> => ({
  method: 'GET',
  path: PATH,
  summary: "An agent's current instruction manifest",
  access: { permission: 'read' },
  params: agentParams,
  async handle({ caller, params }) {
    const agentId = readAgentId(params.agent_id);
    const { manifest, fact, entries } = await facts.read(caller, 'query', async (reader) => {
      const current = await manifests.current(reader, agentId);
      if (current === undefined) throw noManifest();
      const reading = { owner: current.owner, reader, names: self.names };
      const entries: Record<string, unknown>[] = [];
      for (const unit of current.manifest.units) entries.push(await shownUnit(unit, reading, counter));
      return { ...current, entries };
    });
    return {
      status: 200,
      body: {
        manifest_version: manifest.version,
        fact_uri: fact.entity,
        token_count: tokensOf(manifest, counter),
        entries,
        last_updated_at: fact.timestamp,
      },
    };
  },
});

/** An estimate that the author left out is what the unit takes now, as far as the caller may read it. */
const shownUnit = async (unit: Unit, reading: UnitReading, counter: TokenCounter): Promise<Record<string, unknown>> => {
  if (unit.tokenEstimate !== null) return { ...unitJson(unit) };
  const content = await contentOf(unit, reading);
  return { ...unitJson(unit), token_estimate: content === undefined ? 0 : counter.count(content.text) };
};

export const noManifest = (): ServiceError =>
  new ServiceError('manifest_not_found', 'nothing is published for this agent');
