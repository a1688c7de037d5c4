import { type CommandGroup, defineCommand } from '../../kernel/command-api.ts';
import { VALUE_TYPES } from '../../kernel/internal-api.ts';
import { operatorOf, TENANT_SERVICES, tenantOption } from '../multi-tenant/multi-tenant-api.ts';
import { relationRuleJson } from './relation-json.ts';
import { HELD_VALUES, RelationRules } from './relations-api.ts';

const requires = { rules: RelationRules, ...TENANT_SERVICES };
const PATTERN = { pattern: { summary: 'a relation, or a prefix with * at its end' } };
const TENANT = tenantOption('tenant to which the rules belong');

const setCommand = defineCommand({
  name: 'set',
  summary: 'say how many values a relation holds',
  description:
    'Adds the rule, or replaces the one with the same pattern. Running nodes follow within a second, and close or ' +
    'open contradictions in the background.',
  needs: 'node',
  requires,
  arguments: PATTERN,
  options: {
    values: {
      type: 'text',
      value: 'number',
      of: HELD_VALUES,
      required: true,
      summary: 'one: different values contradict each other; many: they stand side by side',
    },
    type: {
      type: 'text',
      value: 'type',
      of: VALUE_TYPES,
      summary: 'the type that values must have when they are asserted here',
    },
    ...TENANT,
  },
  async run({ arguments: { pattern }, options: { values, type, tenant }, use, stderr }) {
    const asked = { pattern, values, valueType: type ?? null };
    const rule = await use.rules.set(await operatorOf(tenant, use), asked);
    const ofType = rule.valueType === null ? '' : ` of type ${rule.valueType}`;
    stderr.write(`${rule.pattern} holds ${rule.values === 'one' ? 'one value' : 'many values'}${ofType}\n`);
  },
});

const listCommand = defineCommand({
  name: 'list',
  summary: 'rules about the values of relations',
  needs: 'node',
  requires,
  options: { json: { type: 'flag', summary: 'one JSON object per line' }, ...TENANT },
  async run({ options: { json, tenant }, use, stdout, table }) {
    const rules = await use.rules.list(await operatorOf(tenant, use));
    stdout.write(
      json
        ? rules.map((rule) => `${JSON.stringify(relationRuleJson(rule))}\n`).join('')
        : table(
            [
              ['pattern', 'values', 'type'],
              ...rules.map(({ pattern, values, valueType }) => [pattern, values, valueType ?? 'any']),
            ],
            { titled: true },
          ),
    );
  },
});

const removeCommand = defineCommand({
  name: 'remove',
  summary: 'remove a rule; the next shorter pattern decides',
  needs: 'node',
  requires,
  arguments: PATTERN,
  options: TENANT,
  async run({ arguments: { pattern }, options: { tenant }, use, stderr }) {
    await use.rules.remove(await operatorOf(tenant, use), pattern);
    stderr.write(`the rule for ${pattern} is removed\n`);
  },
});

export const relationCommands: CommandGroup = {
  name: 'relations',
  topic: 'memory',
  summary: 'say which relations hold many values, list and remove such rules',
  description: 'Works on the store itself, beside a running node or without one.',
  examples: [
    'fact-memory-node relations set memory:likes --values many',
    "fact-memory-node relations set 'rel:*' --values many --type ref",
    'fact-memory-node relations list',
    'fact-memory-node relations remove memory:likes',
  ],
  commands: [setCommand, listCommand, removeCommand],
};
