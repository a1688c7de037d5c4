import { canonicalJson } from '../../kernel/internal-api.ts';
import { BOOLEAN_JSON, COUNT_JSON, listOf, objectOf, STRING_JSON, type StoredFact } from '../../kernel/plugin-api.ts';
import type { Manifest, Unit } from './manifest.ts';

/** A stored or shown unit. */
export interface UnitJson {
  readonly name: string;
  readonly description: string;
  readonly fact_uri: string;
  readonly cid?: string;
  readonly load_triggers: {
    readonly intents: readonly string[];
    readonly keywords: readonly string[];
    readonly task_types: readonly string[];
  };
  /** Absent if its author gave none. */
  readonly token_estimate?: number;
  readonly guarantee_load: boolean;
  readonly required_by_task_types?: readonly string[];
  readonly force_position?: 'prepend';
}

/** A unit in an answer, which always contains the estimate. */
export const UNIT_JSON = objectOf(
  {
    name: STRING_JSON,
    description: STRING_JSON,
    fact_uri: STRING_JSON,
    cid: { type: 'string', pattern: '^sha256:[0-9a-f]{64}$' },
    load_triggers: objectOf({
      intents: listOf(STRING_JSON),
      keywords: listOf(STRING_JSON),
      task_types: listOf(STRING_JSON),
    }),
    token_estimate: COUNT_JSON,
    guarantee_load: BOOLEAN_JSON,
    required_by_task_types: listOf(STRING_JSON),
    force_position: { type: 'string', const: 'prepend' },
  },
  { optional: ['cid', 'required_by_task_types', 'force_position'] },
);

interface ManifestJson {
  readonly version: string;
  readonly entries: readonly UnitJson[];
}

export const unitJson = (unit: Unit): UnitJson => ({
  name: unit.name,
  description: unit.description,
  fact_uri: unit.factUri,
  ...(unit.pinnedCid === null ? {} : { cid: unit.pinnedCid }),
  load_triggers: { intents: unit.intents, keywords: unit.keywords, task_types: unit.taskTypes },
  ...(unit.tokenEstimate === null ? {} : { token_estimate: unit.tokenEstimate }),
  guarantee_load: unit.isGuaranteed,
  ...(unit.requiredByTaskTypes.length > 0 ? { required_by_task_types: unit.requiredByTaskTypes } : {}),
  ...(unit.isPrepended ? { force_position: 'prepend' as const } : {}),
});

/** Returns equal texts for manifests with the same content in different spellings. */
export const manifestText = ({ version, units }: Manifest): string =>
  canonicalJson({ version, entries: units.map(unitJson) });

/** Returns true if the manifest was erased together with a text that it pinned. */
export const isErased = ({ value }: StoredFact): boolean => value.v === null;

/** Reads an intact fact that holds a text of `manifestText`. */
export const manifestOf = ({ value }: StoredFact): Manifest => {
  const { version, entries } = JSON.parse(String(value.v)) as ManifestJson;
  return { version, units: entries.map(unitOf) };
};

const unitOf = (entry: UnitJson): Unit => ({
  name: entry.name,
  description: entry.description,
  factUri: entry.fact_uri,
  pinnedCid: entry.cid ?? null,
  intents: entry.load_triggers.intents,
  keywords: entry.load_triggers.keywords,
  taskTypes: entry.load_triggers.task_types,
  tokenEstimate: entry.token_estimate ?? null,
  isGuaranteed: entry.guarantee_load,
  isPrepended: entry.force_position === 'prepend',
  requiredByTaskTypes: entry.required_by_task_types ?? [],
});
