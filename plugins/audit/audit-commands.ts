import { createReadStream } from 'node:fs';
import { type CommandGroup, countNoun, defineCommand, EXIT, EXPORT_OPTIONS } from '../../kernel/command-api.ts';
import { NodeSelf, nodePrincipal } from '../../kernel/plugin-api.ts';
import { Audit, type VerifiedEntries } from './audit-api.ts';
import { verifyFile } from './chain/verify-file.ts';
import { verifiedJson } from './chain/verify-route.ts';

const tenant = {
  type: 'text',
  value: 'id',
  summary: 'tenant whose log it is, where the node has several',
} as const;

const exportCommand = defineCommand({
  name: 'export',
  summary: 'export the audit log, one JSON object per line',
  description:
    'Writes every entry of a tenant, oldest first, each with its link in the chain of entries, and a signed checkpoint as the ' +
    'last line. The node may run meanwhile. Keep exports elsewhere: they show later that nothing was changed. A node with a key of ' +
    'the operator seals the file, unless --plain is given.',
  examples: ['fact-memory-node audit export --out audit.jsonl'],
  needs: 'node',
  requires: { audit: Audit, self: NodeSelf },
  options: {
    ...EXPORT_OPTIONS,
    tenant,
  },
  async run({ options, use: { audit, self }, writeExport }) {
    const caller = nodePrincipal(self.names, options.tenant);
    await writeExport(options, async (write) => {
      for await (const text of audit.exportLines(caller, {})) await write(text);
    });
  },
});

const verifyCommand = defineCommand({
  name: 'verify',
  summary: 'find out whether the audit log, or an export of it, was changed',
  description:
    'Hashes the entries again and compares them with their links and with the checkpoints that the node has signed. With ' +
    '--file it verifies an export instead, and needs neither node nor store.',
  notes: `Entries of facts have no links here: facts have a chain of their own. A file that
somebody else could change proves something only with --key.`,
  examples: ['fact-memory-node audit verify', 'fact-memory-node audit verify --file audit.jsonl --key 3q2-7w...'],
  needs: 'nothing',
  options: {
    from: {
      type: 'integer',
      value: 'number',
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      summary: 'number (seq) of an entry behind which to begin; it is taken as it is',
      default: 0,
    },
    file: { type: 'text', value: 'file', summary: 'export to verify, as JSON lines' },
    key: { type: 'text', value: 'key', summary: 'public key of the node (federation_pubkey) that must have signed it' },
    json: { type: 'flag', summary: 'the result as a JSON object' },
    tenant,
  },
  async run({ options, openExport, withNode, stdout, stderr }) {
    if (options.file !== undefined) {
      const { checked, uncovered, checkpoint, problem } = await verifyFile(
        openExport(createReadStream(options.file)),
        options.key,
      );
      if (options.json)
        stdout.write(`${JSON.stringify({ ok: problem === undefined, checked, checkpoint, problem })}\n`);
      else if (problem === undefined) stdout.write(heldFile(checked, uncovered, checkpoint?.['public_key'] ?? null));
      if (problem !== undefined) stderr.write(`the export does not hold: ${problem}\n`);
      return problem === undefined ? EXIT.ok : EXIT.failed;
    }
    return withNode({ audit: Audit, self: NodeSelf }, async ({ use: { audit, self } }) => {
      const caller = nodePrincipal(self.names, options.tenant);
      let checked = 0;
      let lost = 0;
      let part: VerifiedEntries = await audit.verify(caller, options.from);
      for (; ; part = await audit.verify(caller, part.place?.number)) {
        checked += part.checked;
        lost += part.detailsGone;
        if (!part.more) break;
      }
      const { problem } = part;
      if (options.json) stdout.write(`${JSON.stringify({ ...verifiedJson(part), checked, details_gone: lost })}\n`);
      else if (problem === undefined) stdout.write(`${entriesHold(checked)}${detailsGone(lost)}\n`);
      if (problem !== undefined)
        stderr.write(`the log does not hold at place ${problem.chainSeq}: ${problem.reason}\n`);
      return problem === undefined ? EXIT.ok : EXIT.failed;
    });
  },
});

const entriesHold = (count: number): string =>
  `${countNoun(count, 'entry', 'entries')} ${count === 1 ? 'holds' : 'hold'}`;

const detailsGone = (count: number): string =>
  count === 0
    ? ''
    : `; the keys of ${countNoun(count, 'detail')} were destroyed, and the retention deletes these entries`;

const heldFile = (checked: number, uncovered: number, key: string | number | null): string =>
  `${entriesHold(checked)}; ${uncovered} in no checkpoint yet\n` +
  (key === null ? 'no checkpoint: nobody vouches for the file\n' : `signed by ${key}\n`);

export const auditCommands: CommandGroup = {
  name: 'audit',
  topic: 'node',
  summary: 'verify or export the audit log',
  description: 'The log of who did what. Entries other than facts are chained, and the node signs how far they hold.',
  examples: ['fact-memory-node audit verify', 'fact-memory-node audit export --out audit.jsonl'],
  commands: [verifyCommand, exportCommand],
};
