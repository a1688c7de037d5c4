import { defineCommand, EXIT, type UpgradePlan } from '../../kernel/command-api.ts';
import { ServiceError } from '../../kernel/plugin-api.ts';
import { showBytes } from './show-bytes.ts';

/** Measured speed of migrations: see the guide for operators. */
const FACTS_PER_SECOND = 8_000;

export const upgradeCommand = defineCommand({
  name: 'upgrade',
  topic: 'node',
  summary: 'say what a start of this version would do to the store',
  description:
    'Lists the migrations that a start would apply, how much space they may need and about how long they take. Changes ' +
    'nothing. The upgrade itself is done by "start", or by "init", which serves nothing.',
  examples: ['fact-memory-node upgrade --check'],
  needs: 'store',
  options: {
    check: { type: 'flag', summary: 'look, and change nothing' },
    json: { type: 'flag', summary: 'the result as JSON' },
  },
  async run({ options, store, node, stdout }) {
    if (!options.check) {
      throw new ServiceError('validation', 'upgrade does nothing without --check', {
        hint: '"fact-memory-node upgrade --check" looks; "fact-memory-node init" upgrades the store and serves nothing',
      });
    }
    const plan = await store.inspectUpgrade();
    const state = stateOf(plan);
    const seconds = plan.pending.length === 0 ? 0 : Math.max(1, Math.ceil(plan.facts / FACTS_PER_SECOND));
    const hasRoom = plan.freeBytes === null || plan.storeBytes === null ? null : plan.freeBytes >= plan.storeBytes;
    if (options.json) {
      const { facts, newest, problems } = plan;
      const pending = plan.pending.map(({ number, name, owner }) => ({ number, name, owner }));
      const sizes = { store_bytes: plan.storeBytes, free_bytes: plan.freeBytes, has_room: hasRoom };
      stdout.write(`${JSON.stringify({ state, newest, facts, pending, ...sizes, estimated_s: seconds, problems })}\n`);
    } else {
      const lines = [
        ['Store', node.storeLocation],
        ['State', STATES[state]],
        ['Newest', plan.newest ?? 'no migration'],
        ['Facts', String(plan.facts)],
        ...plan.pending.map(({ number, name, owner }) => ['Would run', `${number} ${name} (${owner})`]),
        ...(plan.pending.length === 0 ? [] : [['Takes', `about ${seconds} s at most, while the node does not serve`]]),
        ...(plan.pending.length === 0 ? [] : [['Space', spaceOf(plan, hasRoom)]]),
        ...plan.problems.map(({ message, hint }) => ['Problem', hint === undefined ? message : `${message}: ${hint}`]),
      ];
      stdout.write(lines.map(([name = '', text = '']) => `${name.padEnd(11)}${text}\n`).join(''));
    }
    return state === 'refused' || (plan.pending.length > 0 && hasRoom === false) ? EXIT.failed : EXIT.ok;
  },
});

type State = 'current' | 'older' | 'refused';

const STATES: Readonly<Record<State, string>> = {
  current: 'up to date: a start changes no table',
  older: 'older than this version: a start upgrades it; make a backup first',
  refused: 'a start would refuse it',
};

const stateOf = ({ problems, pending }: UpgradePlan): State => {
  if (problems.length > 0) return 'refused';
  return pending.length === 0 ? 'current' : 'older';
};

const spaceOf = ({ storeBytes, freeBytes }: UpgradePlan, hasRoom: boolean | null): string => {
  if (storeBytes === null) return 'as much as the store has';
  const needed = `at most ${showBytes(storeBytes)} more`;
  if (freeBytes === null) return `${needed}; look for room on the disk of the database`;
  return `${needed}; ${showBytes(freeBytes)} are free${hasRoom === false ? ', which is too little' : ''}`;
};
