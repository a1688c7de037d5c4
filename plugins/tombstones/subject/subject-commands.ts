import { type CommandGroup, defineCommand, EXPORT_OPTIONS } from '../../../kernel/command-api.ts';
import { DEFAULT_TENANT, defineRef, NodeSelf, nodePrincipal } from '../../../kernel/plugin-api.ts';
import type { SubjectExport } from './subject-export.ts';

export const Subjects = defineRef<Pick<SubjectExport, 'lines'>>('tombstones.subjects');

const exportCommand = defineCommand({
  name: 'export',
  summary: 'write down everything about an entity, and everything it asserted',
  description:
    'Writes one JSON object per line, in the order in which the facts were stored: a header, the facts, and an end with a ' +
    'receipt that the node has signed. Facts that a tombstone hides are left out. The node may run meanwhile. A node with a key of the operator seals the ' +
    'file. Give --plain where the person is to open it.',
  examples: ['fact-memory-node subject export user:alice --out alice.ndjson'],
  needs: 'node',
  requires: { subjects: Subjects, self: NodeSelf },
  arguments: { entity: { summary: 'URI of the entity' } },
  options: {
    ...EXPORT_OPTIONS,
    aboutOnly: { type: 'flag', summary: 'leave out what the entity asserted about others' },
    tenant: { type: 'text', value: 'id', summary: 'tenant of the entity', default: DEFAULT_TENANT },
  },
  async run({ arguments: { entity }, options, use: { subjects, self }, stderr, writeExport }) {
    const { out, aboutOnly, tenant } = options;
    const query = { entityUri: entity, about: true, assertedBy: !aboutOnly };
    const lines = await subjects.lines(nodePrincipal(self.names, tenant), query);
    await writeExport(options, async (write) => {
      for await (const line of lines) await write(line);
    });
    if (out !== undefined) stderr.write(`Written to ${out}, with a signed receipt in the last line\n`);
  },
});

export const subjectCommands: CommandGroup = {
  name: 'subject',
  topic: 'memory',
  summary: 'hand over what the node knows about somebody',
  description: 'What is known about an entity, or was said by it, for requests of the people concerned.',
  examples: ['fact-memory-node subject export user:alice --out alice.ndjson'],
  commands: [exportCommand],
};
