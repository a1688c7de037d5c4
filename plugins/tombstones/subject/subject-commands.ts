import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type CommandGroup, defineCommand } from '../../../kernel/command-api.ts';
import { DEFAULT_TENANT, defineRef, NodeSelf, nodePrincipal, ServiceError } from '../../../kernel/plugin-api.ts';
import type { SubjectExport } from './subject-export.ts';

export const Subjects = defineRef<Pick<SubjectExport, 'lines'>>('tombstones.subjects');

const exportCommand = defineCommand({
  name: 'export',
  summary: 'write down everything about an entity, and everything it asserted',
  description:
    'Writes one JSON object per line, in the order in which the facts were stored: a header, the facts, and an end with a ' +
    'receipt that the node has signed. Facts that a tombstone hides are left out. The node may run meanwhile.',
  examples: ['fact-memory-node subject export user:alice --out alice.ndjson'],
  needs: 'node',
  requires: { subjects: Subjects, self: NodeSelf },
  arguments: { entity: { summary: 'URI of the entity' } },
  options: {
    out: { type: 'text', value: 'file', summary: 'file to write, readable by you alone; it must not exist yet' },
    aboutOnly: { type: 'flag', summary: 'leave out what the entity asserted about others' },
    tenant: { type: 'text', value: 'id', summary: 'tenant of the entity', default: DEFAULT_TENANT },
  },
  async run({ arguments: { entity }, options, use: { subjects, self }, stdout, stderr }) {
    const { out, aboutOnly, tenant } = options;
    const query = { entityUri: entity, about: true, assertedBy: !aboutOnly };
    const lines = await subjects.lines(nodePrincipal(self.names, tenant), query);
    if (out === undefined) {
      for await (const line of lines) stdout.write(line);
      return;
    }
    try {
      await pipeline(Readable.from(lines), createWriteStream(out, { flags: 'wx', mode: 0o600 }));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      throw new ServiceError('conflict', `${out} exists already`, { hint: 'name another file, or remove this one' });
    }
    stderr.write(`Written to ${out}, with a signed receipt in the last line\n`);
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
