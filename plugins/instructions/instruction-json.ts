import type { ServiceNames } from '../../kernel/plugin-api.ts';
import type { CurrentManifest, InstructionChunk, LoadedInstructions, PublishedManifest } from './instructions-api.ts';
import { partsOfUnitUri } from './manifest.ts';
import { unitJson } from './manifest-json.ts';

/** The answer to a publication. */
export const publishedJson = ({ factUri, tokenCount, coverage }: PublishedManifest) => ({
  fact_uri: factUri,
  token_count: tokenCount,
  coverage_report: [...coverage].map(([unit, passed]) => ({ unit, coverage_pct: passed ? 1 : 0, passed })),
});

/** The current manifest of an agent. */
export const currentManifestJson = ({ version, factUri, tokenCount, units, publishedAt }: CurrentManifest) => ({
  manifest_version: version,
  fact_uri: factUri,
  token_count: tokenCount,
  entries: units.map(unitJson),
  last_updated_at: publishedAt,
});

/** What an agent loads. */
export const loadedJson = (loaded: LoadedInstructions, names: ServiceNames) => ({
  chunks: loaded.chunks.map((chunk) => chunkJson(chunk, names)),
  total_tokens: loaded.totalTokens,
  truncated: loaded.truncated,
  missed_hints: loaded.missedHints,
  audit_token: loaded.auditToken,
});

export const chunkJson = ({ unit, text, tokens, validUntil, score }: InstructionChunk, names: ServiceNames) => ({
  name: unit.name,
  fact_uri: unit.factUri,
  content: text,
  tokens,
  valid_until: validUntil,
  version: partsOfUnitUri(unit.factUri)?.version ?? null,
  score,
  source: names.name,
});
