import { askServer, defineCommand, EXIT, jsonLine, shellQuote } from '../../kernel/command-api.ts';
import { columnText } from '../../kernel/internal-api.ts';
import { SCOPES, ServiceError } from '../../kernel/plugin-api.ts';
import { followJob } from '../jobs/jobs-api.ts';
import { CHECKS, SEVERITIES } from './lint-api.ts';

const PATH = '/v1/lint';

interface Shown {
  readonly check: string;
  readonly severity: string;
  readonly entity: string;
  readonly relation: string | null;
  readonly fact_ids: readonly string[];
  readonly detail: string;
}

export const lintCommand = defineCommand({
  name: 'lint',
  topic: 'memory',
  summary: 'find what is contradictory, out of date or unconnected among your facts',
  description:
    'Checks the facts that your key sees, and lists what somebody should look at, check by check. Changes nothing. ' +
    'A node does it as a job where there are many facts; the command waits for it.',
  notes: `Checks: ${CHECKS.join(', ')}. Without --fail-on the exit code is 0 whatever was
found; with it, 1 where something at least as bad was found.`,
  examples: [
    'fact-memory-node lint',
    'fact-memory-node lint --scope company --checks stale,broken_ref --fail-on error',
  ],
  needs: 'server',
  options: {
    scope: { type: 'text', value: 'word', of: SCOPES, summary: `facts of this scope alone: ${SCOPES.join(', ')}` },
    checks: { type: 'words', value: 'list', of: CHECKS, summary: 'these checks alone' },
    entity: { type: 'text', value: 'uri', summary: 'facts about this entity alone' },
    relation: { type: 'text', value: 'name', summary: 'facts with this relation alone' },
    lookahead: {
      type: 'integer',
      value: 'number',
      unit: 'seconds',
      minimum: 0,
      maximum: 3_153_600_000,
      summary: 'list facts that expire within so many seconds as well',
    },
    failOn: { type: 'text', value: 'severity', summary: 'exit code 1 for a finding as bad as this: error or warning' },
    json: { type: 'flag', summary: 'the reply of the node as JSON' },
  },
  async run(context) {
    const { options, server, stdout, stderr, table, asTyped } = context;
    const worst = readSeverity(options.failOn);
    const body = {
      scope: options.scope ?? 'all',
      checks: options.checks,
      entity: options.entity,
      relation: options.relation,
      stale_lookahead_s: options.lookahead,
    };
    const reply = await followJob(context, await askServer(server, { method: 'POST', path: PATH, body }));
    const findings = reply['findings'] as readonly Shown[];
    if (options.json) stdout.write(jsonLine(reply));
    else {
      stdout.write(listed(findings, table));
      stdout.write(asTyped(proposed((reply['proposed_rules'] ?? []) as readonly Proposed[])));
      stdout.write(`${summaryOf(findings, reply['fact_count'])}\n`);
      if (reply['truncated'] === true) stderr.write(TRUNCATED);
    }
    const isBad = findings.some(({ severity }) => worst.includes(severity));
    return isBad ? EXIT.failed : EXIT.ok;
  },
});

interface Proposed {
  readonly relation: string;
}

const proposed = (proposals: readonly Proposed[]): string =>
  proposals
    .map(
      ({ relation }) =>
        `${columnText(relation)} seems to hold many values: fact-memory-node relations set ` +
        `${shellQuote(relation)} --values many\n`,
    )
    .join('');

const TRUNCATED =
  'There is more than a reply has room for. Narrow it with --scope, --checks, --entity or --relation.\n';

type Table = (rows: readonly (readonly string[])[], form?: { readonly titled?: boolean }) => string;

/** A table for each check with findings. */
const listed = (findings: readonly Shown[], table: Table): string =>
  CHECKS.map((check) => {
    const own = findings.filter((one) => one.check === check);
    if (own.length === 0) return '';
    const rows = own.map(({ severity, entity, relation, fact_ids, detail }) => [
      severity,
      columnText(entity),
      columnText(relation ?? ''),
      fact_ids.length > 1 ? `${fact_ids[0]} and ${fact_ids.length - 1} more` : (fact_ids[0] ?? ''),
      detail,
    ]);
    const head = ['severity', 'entity', 'relation', 'fact', 'what'];
    return `${check} (${own.length})\n${table([head, ...rows], { titled: true })}\n`;
  }).join('');

const summaryOf = (findings: readonly Shown[], factCount: unknown): string => {
  const counts = SEVERITIES.map((severity) => {
    const count = findings.filter((one) => one.severity === severity).length;
    return `${count} ${severity}${count === 1 || severity === 'info' ? '' : 's'}`;
  });
  return `${counts.join(', ')} in ${factCount ?? 'an unknown number of'} fact${factCount === 1 ? '' : 's'}`;
};

/** Returns the severities that make a run fail. */
const readSeverity = (word: string | undefined): readonly string[] => {
  if (word === undefined) return [];
  if (word !== 'error' && word !== 'warning') {
    throw new ServiceError('validation', '--fail-on must be error or warning');
  }
  return word === 'error' ? ['error'] : ['error', 'warning'];
};
