import { SHARE_JSON } from '../../kernel/internal-api.ts';
import {
  BOOLEAN_JSON,
  COUNT_JSON,
  INSTANT_JSON,
  listOf,
  objectOf,
  orNull,
  type ServiceNames,
  STRING_JSON,
} from '../../kernel/plugin-api.ts';
import type { CurrentManifest, InstructionChunk, LoadedInstructions, PublishedManifest } from './instructions-api.ts';
import { partsOfUnitUri } from './manifest.ts';
import { UNIT_JSON, unitJson } from './manifest-json.ts';

export const PUBLISHED_JSON = objectOf({
  fact_uri: STRING_JSON,
  token_count: COUNT_JSON,
  coverage_report: listOf(
    objectOf({ unit: STRING_JSON, coverage_pct: { type: 'number', enum: [0, 1] }, passed: BOOLEAN_JSON }),
  ),
});

/** The answer to a publication. */
export const publishedJson = ({ factUri, tokenCount, coverage }: PublishedManifest) => ({
  fact_uri: factUri,
  token_count: tokenCount,
  coverage_report: [...coverage].map(([unit, passed]) => ({ unit, coverage_pct: passed ? 1 : 0, passed })),
});

export const CURRENT_MANIFEST_JSON = objectOf({
  manifest_version: STRING_JSON,
  fact_uri: STRING_JSON,
  token_count: COUNT_JSON,
  entries: listOf(UNIT_JSON),
  last_updated_at: INSTANT_JSON,
});

export const currentManifestJson = ({ version, factUri, tokenCount, units, publishedAt }: CurrentManifest) => ({
  manifest_version: version,
  fact_uri: factUri,
  token_count: tokenCount,
  entries: units.map(unitJson),
  last_updated_at: publishedAt,
});

export const LOADED_JSON = objectOf({
  chunks: listOf(
    objectOf({
      name: STRING_JSON,
      fact_uri: STRING_JSON,
      content: STRING_JSON,
      tokens: COUNT_JSON,
      valid_until: orNull(INSTANT_JSON),
      version: orNull(STRING_JSON),
      score: SHARE_JSON,
      source: STRING_JSON,
    }),
  ),
  total_tokens: COUNT_JSON,
  truncated: BOOLEAN_JSON,
  missed_hints: listOf(STRING_JSON),
  audit_token: STRING_JSON,
});

/** The reply for an agent that loads instructions. */
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
