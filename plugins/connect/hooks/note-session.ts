import { askServer, type CommandServer } from '../../../kernel/command-api.ts';
import { sha256Hex } from '../../../kernel/plugin-api.ts';
import { readCaller } from '../client-key.ts';
import type { HookInput } from './hook-input.ts';
import type { Project } from './project.ts';
import { withoutSecrets } from './secret-values.ts';
import { readTranscript, type Said, saidIn } from './transcript.ts';

export const SAID = 'memory:said';
const MAX_SAID_LENGTH = 4_000;
const CUT_MARK = ' […]';

/** The confidence of conclusions of an agent, lower than that of a person's words. */
const AGENT_CONFIDENCE = 0.5;

export interface SessionNotes {
  readonly facts: readonly NoteFact[];
  /** The ids of the prompts that were read, also of those without a note. The entity of a note ends with its id. */
  readonly ids: readonly string[];
  /** The number of masked values, which look like secrets. */
  readonly masked: number;
}

/** The sources of notes. */
export interface Speakers {
  readonly person: string;
  /** The source for conclusions of the agent; undefined to leave them out. */
  readonly agent: string | undefined;
}

/**
 * Returns the beginning of the entity of each note of a project. Each prompt has its own entity, so that no note
 * contradicts another one.
 */
export const notePrefix = ({ key }: Project): string => `project:${key}/note/`;

/** Returns the last part of the entity of a note of the project; undefined for any other entity. */
export const noteId = (project: Project, entity: string): string | undefined => {
  const prefix = notePrefix(project);
  const id = entity.startsWith(prefix) ? entity.slice(prefix.length) : '';
  return NOTE_ID.test(id) ? id : undefined;
};

/** Distinguishes a note from an entity of another project, whose address begins with this one. */
const NOTE_ID = /^(?:agent-)?[0-9a-f]{16}$/;

/** Returns true for the entity of a note with words of an agent. */
export const isOfAgent = (entity: string): boolean => entity.slice(entity.lastIndexOf('/') + 1).startsWith('agent-');

/** Reads new notes of a session: prompts word for word, as local facts. */
export const readNotes = async (
  { transcript, transcriptText }: HookInput,
  project: Project,
  speakers: Speakers,
  known: ReadonlySet<string>,
): Promise<SessionNotes> => {
  const text = transcript === undefined ? transcriptText : await readTranscript(transcript);
  const said = saidIn(text ?? '');
  const fresh = said.filter(({ id, by }) => !known.has(id) && speakers[by] !== undefined);
  const cleaned = fresh.map((one) => ({ ...one, ...withoutSecrets(one.text.toWellFormed().replaceAll('\u0000', '')) }));
  return {
    facts: cleaned.filter(({ text }) => text.trim() !== '').map((one) => factOf(one, project, speakers[one.by] ?? '')),
    ids: fresh.map(({ id }) => id),
    masked: cleaned.reduce((sum, one) => sum + one.masked, 0),
  };
};

/**
 * Stores notes, and returns the number of notes that the node refused. The node recognises notes that it has already.
 */
export const storeNotes = async (facts: readonly NoteFact[], server: CommandServer): Promise<number> => {
  const refused = facts.length === 0 ? [] : await store(facts, server);
  if (!refused.some(({ code }) => code === 'source_attestation_failed')) return refused.length;
  // The node accepts only facts whose source is the key's own entity.
  const source = (await readCaller(server))?.entity ?? '';
  return (
    await store(
      refused.map(({ index }) => ({ ...(facts[index] as NoteFact), source })),
      server,
    )
  ).length;
};

export type NoteFact = ReturnType<typeof factOf>;

const factOf = ({ by, id, text, timestamp }: Said, project: Project, source: string) => ({
  entity: `${notePrefix(project)}${id}`,
  relation: SAID,
  value: { type: 'string', v: cut(text.trim()) },
  source,
  scope: 'local',
  ...(by === 'agent' && { confidence: AGENT_CONFIDENCE }),
  ...(timestamp === undefined ? {} : { timestamp }),
});

const cut = (text: string): string =>
  text.length <= MAX_SAID_LENGTH
    ? text
    : `${text.slice(0, MAX_SAID_LENGTH - CUT_MARK.length).toWellFormed()}${CUT_MARK}`;

interface Refused {
  readonly index: number;
  readonly code: unknown;
}

const store = async (facts: readonly NoteFact[], server: CommandServer): Promise<readonly Refused[]> => {
  const body = JSON.stringify(facts);
  const { document } = await askServer(server, {
    method: 'POST',
    path: '/v1/facts/batch',
    body: facts,
    headers: { 'idempotency-key': `said-${sha256Hex(body)}` },
  });
  const results = Array.isArray(document['results']) ? (document['results'] as Record<string, unknown>[]) : [];
  return results.flatMap(({ index, status, error }) =>
    Number(status) < 400 ? [] : [{ index: Number(index), code: (error as { readonly code?: unknown } | null)?.code }],
  );
};
