import { objectRequiring } from '../../kernel/internal-api.ts';
import { type Route, SCOPES, ServiceError } from '../../kernel/plugin-api.ts';
import { ACCEPTED_JOB_JSON, acceptedJobJson } from '../jobs/jobs-api.ts';
import type { ImportJobs } from './import-job.ts';
import {
  linesOfImport,
  type OpenedImport,
  openSentImport,
  type SentImport,
  type SentImportParts,
} from './sent-import.ts';

/** The maximum number of imports at a time in one process. Each holds its file in memory. */
const MAX_RUNNING = 2;
const MAX_MAPPED = 32;

/** `POST /v1/imports` imports a file that the caller sends, with the rights of the caller. */
export const importRoute = (
  parts: SentImportParts,
  jobs: ImportJobs | undefined,
): Route<undefined, undefined, SentImport> => {
  let running = 0;
  return {
    method: 'POST',
    path: '/v1/imports',
    summary: 'Imports the export of another memory or chat product, and reports its progress as lines of JSON',
    access: { permission: 'write' },
    // Each local request takes a turn of its own.
    cost: 0,
    body: IMPORT_BODY,
    bodyLimit: 'bulk',
    answers: { 200: { text: ['application/x-ndjson'] }, 202: { json: ACCEPTED_JOB_JSON } },
    example: {
      body: {
        name: 'memory.jsonl',
        content: 'eyJ0eXBlIjoiZW50aXR5IiwibmFtZSI6Ik5vb3IiLCJlbnRpdHlUeXBlIjoicGVyc29uIiwib2JzZXJ2YXRpb25zIjpbXX0K',
        dry_run: true,
      },
    },
    async handle(request) {
      if (!parts.routes.serves('POST /v1/facts/batch')) {
        throw new ServiceError('lookup', 'this node takes no facts: its plugin "facts" is switched off');
      }
      if (request.body.as_job) refuseAsJob(request.body, jobs);
      if (running >= MAX_RUNNING) {
        throw new ServiceError('limit_reached', `${MAX_RUNNING} imports run already`, {
          hint: 'wait until one of them has ended',
        });
      }
      running += 1;
      let isOver = false;
      const end = (): void => {
        if (!isOver) running -= 1;
        isOver = true;
      };
      try {
        if (request.body.as_job && jobs !== undefined) {
          // A job goes on when its client leaves.
          const opened = await openSentImport(request, parts);
          return { status: 202, body: acceptedJobJson(await jobs.start(request, opened, end), 0) };
        }
        const opened = await openSentImport(request, parts, request.signal);
        return { status: 200, contentType: 'application/x-ndjson', text: linesUntil(request.signal, opened, end) };
      } catch (error) {
        end();
        throw error;
      }
    },
  };
};

const refuseAsJob = ({ dry_run: isTrial }: SentImport, jobs: ImportJobs | undefined): void => {
  if (isTrial) {
    throw new ServiceError('validation', 'body.as_job does not go with body.dry_run', {
      hint: 'dry_run stores nothing and needs no job: leave body.as_job out, and read the lines of the reply',
    });
  }
  if (jobs !== undefined) return;
  throw new ServiceError('validation', 'this node has no jobs: its plugin "jobs" is switched off', {
    hint: 'leave body.as_job out, and read the lines of the reply',
  });
};

/**
 * Returns the lines of an import, and calls `end` when its work is over. A client that leaves before the first line
 * never starts the lines, so they have no end of their own.
 */
const linesUntil = (signal: AbortSignal, opened: OpenedImport, end: () => void): AsyncIterable<string> => {
  let isStarted = false;
  const endUnstarted = (): void => {
    if (!isStarted) end();
  };
  signal.addEventListener('abort', endUnstarted, { once: true });
  if (signal.aborted) endUnstarted();
  return (async function* () {
    isStarted = true;
    try {
      yield* linesOfImport(opened);
    } finally {
      end();
    }
  })();
};

const text = (maxLength: number) => ({ type: 'string', minLength: 1, maxLength });

const IMPORT_BODY = objectRequiring<SentImport>(['name', 'content'], {
  name: { ...text(255), description: 'The name of the file.' },
  content: { type: 'string', minLength: 1, description: 'The bytes of the file or zip archive, in base64.' },
  format: { ...text(64), description: 'The name of a format; by default the one that the file has.' },
  modified_at: { ...text(64), description: 'The time of items that have none, for example `2026-01-01T00:00:00Z`.' },
  scope: { type: 'string', enum: [...SCOPES], description: 'The scope of the facts; `local` by default.' },
  garden: { ...text(2_048), description: 'The garden that the facts go to.' },
  source_prefix: { ...text(256), description: 'Stands before the source of every fact.' },
  utc_offset: { ...text(64), description: 'The offset of instants that have none, for example `+01:00`; else `Z`.' },
  encoding: { ...text(64), description: 'The encoding of text that is not UTF-8 and has no byte order mark.' },
  map: {
    type: 'array',
    items: text(1_024),
    // The command takes one word that ends in .json for a file to read, and a caller must not name files of the node.
    minItems: 3,
    maxItems: MAX_MAPPED,
    description:
      'For a table: what its columns are, for example `entity=user:{id}`, `relation==memory:role`, `value=role`.',
  },
  as_job: {
    type: 'boolean',
    default: false,
    description: 'Runs the import as a job, which goes on when the caller leaves, and replies 202 with its id.',
  },
  dry_run: { type: 'boolean', default: false, description: 'Checks every fact, and stores nothing.' },
});
