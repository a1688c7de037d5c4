import { type ErrorCode, isWithinCharacters, MAX_VIOLATIONS } from '../../kernel/internal-api.ts';
import {
  compileDeclared,
  matchKey,
  memberRefusal,
  Refusals,
  readEntityUri,
  ServiceError,
  type ServiceNames,
  schema,
} from '../../kernel/plugin-api.ts';
import type { TokenCounter } from '../recall/recall-api.ts';
import type { ManifestDraft } from './instructions-api.ts';
import { GUARANTEE_CAP_EXCEEDED, MANIFEST_ENTRY_INVALID, MANIFEST_TOO_LARGE } from './instructions-words.ts';
import { type Manifest, partsOfUnitUri, tokensOf, type Unit } from './manifest.ts';
import { MANIFEST_ENTRY_JSON, MAX_DESCRIPTION_LENGTH, MAX_TRIGGER_LENGTH } from './shown-manifest.ts';
import { problemOfSegment } from './uri-segment.ts';

/** The maximum number of guaranteed units of one manifest, because these units ignore the budget. */
export const MOST_GUARANTEED = 5;
/** The maximum number of tokens of one manifest. */
export const MOST_MANIFEST_TOKENS = 1_000;

/** Reads the agent from a path. Throws `validation`, 400. */
export const readAgentId = (text: string): string => {
  const problem = problemOfSegment(text);
  if (problem !== null) throw memberRefusal('path.agent_id', problem, 'validation', { status: 400 });
  return text;
};

const undeclaredIn = compileDeclared(schema<object>({ items: MANIFEST_ENTRY_JSON }));

/**
 * Throws for a manifest that breaks a rule (docs/reference/instructions.md, "Manifests"), with all errors of its
 * entries at once. Does not check that its facts exist.
 */
export const readManifest = (
  { version, entries }: ManifestDraft,
  agentId: string,
  { names, counter }: { readonly names: ServiceNames; readonly counter: TokenCounter },
): Manifest => {
  const problem = problemOfSegment(version);
  if (problem !== null) throw memberRefusal('body.version', problem);
  const refusals = new Refusals();
  refusals.add(undeclaredIn(entries, 'body.entries'), MANIFEST_ENTRY_INVALID);
  const known = new Set<string>();
  const units: Unit[] = [];
  for (const [at, entry] of entries.entries()) {
    // A reply lists only this many problems.
    if (refusals.count >= MAX_VIOLATIONS) break;
    const path = `body.entries[${at}]`;
    const unit = refusals.attempt(() => readUnit(entry, path));
    if (unit === undefined) continue;
    units.push(unit);
    refusals.attempt(() => checkUri(unit, agentId, names, path));
    // Names that differ only in case would have the same facts.
    const key = matchKey(unit.name, names);
    if (known.has(key)) refusals.attempt(() => refuseRepetition(path));
    known.add(key);
  }
  refusals.settle();
  if (units.filter(({ isGuaranteed }) => isGuaranteed).length > MOST_GUARANTEED) {
    const limit = `must guarantee at most ${MOST_GUARANTEED} units`;
    throw memberRefusal('body.entries', limit, GUARANTEE_CAP_EXCEEDED);
  }
  const manifest = { version, units };
  if (tokensOf(manifest, counter) > MOST_MANIFEST_TOKENS) {
    throw memberRefusal('body.entries', `must not take more than ${MOST_MANIFEST_TOKENS} tokens`, MANIFEST_TOO_LARGE);
  }
  return manifest;
};

const refuseRepetition = (path: string): never => {
  throw refusal(`${path}.name`, 'must not repeat the name of another entry');
};

type Members = Readonly<Record<string, unknown>>;

/** Treats null as absent for an optional member. */
const readUnit = (entry: unknown, path: string): Unit => {
  const members = readObject(entry, path);
  const refusals = new Refusals();
  const member = <T>(name: string, reader: (value: unknown, path: string) => T): T =>
    refusals.attempt(() => reader(members[name] ?? undefined, `${path}.${name}`));
  member('path', refusePath);
  const triggersPath = `${path}.load_triggers`;
  const triggers = member('load_triggers', (value, at) => (value === undefined ? {} : readObject(value, at))) ?? {};
  const trigger = (name: string): readonly string[] =>
    refusals.attempt(() => readTexts(triggers[name] ?? undefined, `${triggersPath}.${name}`));
  const unit: Unit = {
    name: member('name', readName),
    description: member('description', (value, at) => readText(value, at, MAX_DESCRIPTION_LENGTH)),
    factUri: member('fact_uri', readText),
    pinnedCid: member('cid', readCid),
    intents: trigger('intents'),
    keywords: trigger('keywords'),
    taskTypes: trigger('task_types'),
    tokenEstimate: member('token_estimate', readCount),
    isGuaranteed: refusals.attempt(() => readSwitch(members, ['guarantee_load', 'guaranteed_load'], path)),
    isPrepended: member('force_position', readPosition),
    requiredByTaskTypes: member('required_by_task_types', readTexts),
  };
  refusals.settle();
  return unit;
};

const refusePath = (value: unknown, path: string): void => {
  if (value !== undefined) throw refusal(path, 'must be left out: a unit never names a file');
};

const readName = (value: unknown, path: string): string => {
  const name = readText(value, path);
  const problem = problemOfSegment(name);
  if (problem !== null) throw refusal(path, problem);
  return name;
};

/** Checks that the URI contains this agent and this unit. The deployment may be any, because facts can move. */
const checkUri = ({ factUri, name }: Unit, agentId: string, names: ServiceNames, entryPath: string): void => {
  const path = `${entryPath}.fact_uri`;
  const parts = partsOfUnitUri(asEntity(factUri, path));
  if (parts === null || problemOfSegment(parts.version) !== null) {
    throw refusal(path, 'must have the form instruction:<deployment>/agent/<agent_id>/<name>/<version>');
  }
  if (matchKey(parts.agentId, names) !== matchKey(agentId, names)) throw refusal(path, 'must name this agent');
  if (matchKey(parts.name, names) !== matchKey(name, names)) throw refusal(path, 'must name this unit');
};

const asEntity = (text: string, path: string): string => {
  try {
    if (readEntityUri(text, path) === text) return text;
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
  }
  throw refusal(path, 'must be the entity of a fact');
};

const readObject = (value: unknown, path: string): Members => {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Members;
  throw refusal(path, 'must be an object');
};

const readText = (value: unknown, path: string, limit = Number.POSITIVE_INFINITY): string => {
  if (typeof value !== 'string') throw refusal(path, 'must be a string');
  if (!isWithinCharacters(value, limit)) throw refusal(path, `must be at most ${limit} characters long`);
  return value;
};

const readTexts = (value: unknown, path: string): readonly string[] => {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw refusal(path, 'must be a list of strings');
  return value.map((item: unknown, at) => readText(item, `${path}[${at}]`, MAX_TRIGGER_LENGTH));
};

const readCid = (value: unknown, path: string): string | null => {
  if (value === undefined) return null;
  if (typeof value === 'string' && CID.test(value)) return value.toLowerCase();
  throw refusal(path, 'must be sha256: and 64 hexadecimal digits');
};

const CID = /^sha256:[0-9a-f]{64}$/i;

const readCount = (value: unknown, path: string): number | null => {
  if (value === undefined) return null;
  if (Number.isSafeInteger(value) && (value as number) >= 0) return value as number;
  throw refusal(path, 'must be an integer of 0 or more');
};

const readSwitch = (members: Members, spellings: readonly string[], path: string): boolean => {
  const given = spellings.filter((spelling) => members[spelling] != null);
  for (const spelling of given) {
    if (typeof members[spelling] !== 'boolean') throw refusal(`${path}.${spelling}`, 'must be true or false');
  }
  return given.some((spelling) => members[spelling] === true);
};

const readPosition = (value: unknown, path: string): boolean => {
  if (value === undefined) return false;
  if (value === 'prepend') return true;
  throw refusal(path, 'must be "prepend" where it is given');
};

const refusal = (path: string, problem: string, code: ErrorCode = MANIFEST_ENTRY_INVALID): ServiceError =>
  memberRefusal(path, problem, code);
