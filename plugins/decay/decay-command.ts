import { askServer, countNoun, defineCommand, jsonLine, readShare } from '../../kernel/command-api.ts';
import { SCOPES } from '../../kernel/plugin-api.ts';
import { followJob } from '../jobs/jobs-api.ts';

const PATH = '/v1/decay/sweep';

export const decayCommand = defineCommand({
  name: 'decay',
  topic: 'memory',
  summary: 'let facts end that are old or uncertain',
  description:
    'Counts the facts that a sweep would end, and ends them with --yes. Facts are not changed or deleted: each gets ' +
    'a time-to-live that has passed, and --include-expired shows it still.',
  notes: `Without a rule the settings of the node count: SVC_DECAY_TTL_SECONDS and
SVC_DECAY_MIN_CONFIDENCE. Facts that have an end are left out of the rule about
age. A key sweeps what it could write to.`,
  examples: ['fact-memory-node decay --ttl-seconds 31536000', 'fact-memory-node decay --min-confidence 0.2 --yes'],
  needs: 'server',
  options: {
    ttlSeconds: {
      type: 'integer',
      value: 'number',
      unit: 'seconds',
      minimum: 0,
      maximum: 3_155_760_000,
      summary: 'end facts that are older; 0 ends facts of every age',
    },
    minConfidence: { type: 'text', value: 'number', summary: 'end facts whose confidence is below this, from 0 to 1' },
    scope: { type: 'text', value: 'word', of: SCOPES, summary: `facts of this scope alone: ${SCOPES.join(', ')}` },
    yes: { type: 'flag', summary: 'end the facts; without, they are only counted' },
    json: { type: 'flag', summary: 'the reply of the node as JSON' },
  },
  async run(context) {
    const { options, server, stdout, stderr } = context;
    const rules = {
      ttl_seconds: options.ttlSeconds,
      min_confidence: readShare('--min-confidence', options.minConfidence),
      scope: options.scope,
    };
    const asked = { ...rules, dry_run: !options.yes };
    const reply = await followJob(context, await askServer(server, { method: 'POST', path: PATH, body: asked }));
    if (options.json) {
      stdout.write(jsonLine(reply));
      return;
    }
    const { scanned, decayed } = reply;
    if (options.yes) {
      stdout.write(`${decayed} of ${facts(scanned)} have ended.\n`);
    } else {
      stdout.write(`${decayed} of ${facts(scanned)} would end.\n`);
      if (Number(decayed) > 0) stderr.write('Nothing was changed. Add --yes to end them.\n');
    }
    if (scanned === 0 && Object.values(rules).every((rule) => rule === undefined)) stderr.write(NO_RULE);
  },
});

const NO_RULE =
  'No rule was given, and the node has none of its own or no facts of yours: add --ttl-seconds or --min-confidence.\n';

const facts = (count: unknown): string => countNoun(Number(count), 'fact');
