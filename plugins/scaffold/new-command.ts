import { type CommandGroup, defineCommand, shellQuote } from '../../kernel/command-api.ts';
import { ServiceError } from '../../kernel/plugin-api.ts';
import { pluginFiles } from './plugin-files.ts';
import { writeNewFolder } from './write-new-folder.ts';

/** The form of plugin names; short names also suit tables and variables. */
const NAME = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
const MAX_NAME_LENGTH = 40;

/**
 * The next commands to run. The install guide puts the tarball into the folder in which the new one is created. Without
 * `--no-save`, npm would write the path of the tarball into package.json instead of the version, also for users of the
 * plugin.
 */
const NEXT = 'npm install --no-save ../fact-memory-node-*.tgz && npm test && npm start';

const pluginCommand = defineCommand({
  name: 'plugin',
  summary: 'write the package of a new plugin',
  description:
    'Writes a folder with a plugin that works, a test of it, a README and a configuration file that loads it. It needs ' +
    'neither a node nor a network, and overwrites nothing.',
  examples: ['fact-memory-node new plugin acme-notes', 'fact-memory-node new plugin acme-notes --typescript'],
  needs: 'nothing',
  arguments: { name: { summary: 'name of the plugin: small letters, digits and dashes, such as acme-notes' } },
  options: {
    out: { type: 'text', value: 'folder', summary: 'where to write it; by default a folder of the same name' },
    typescript: { type: 'flag', summary: 'write TypeScript in place of JavaScript' },
  },
  async run({ arguments: { name }, options: { out, typescript }, stdout }) {
    if (!NAME.test(name) || name.length > MAX_NAME_LENGTH) {
      throw new ServiceError('validation', 'this is no name of a plugin', {
        hint: `take small letters, digits and single dashes, at most ${MAX_NAME_LENGTH}, such as acme-notes`,
      });
    }
    const folder = out ?? name;
    const files = pluginFiles(name, typescript);
    await writeNewFolder(folder, files);
    stdout.write(`${[...files.keys()].map((path) => `${folder}/${path}\n`).join('')}\n`);
    stdout.write(
      `Next, with the tarball of fact-memory-node in this folder: cd ${shellQuote(folder)}, then\n${NEXT}\n`,
    );
  },
});

export const newCommand: CommandGroup = {
  name: 'new',
  topic: 'node',
  summary: 'begin something of your own',
  commands: [pluginCommand],
};
