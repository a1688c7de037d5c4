// `npm run listings`: writes the committed files by which other programs find and install this one. A release writes
// the others. All content comes from package.json, packaging/agents/skills, and the `connect` command and MCP tools in
// dist/, so that no text exists twice.
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build as bundle } from 'esbuild';
import { unzipSync, zipSync } from 'fflate';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const AGENTS = 'packaging/agents';
/** The schema that the registry of MCP publishes under this date. */
const REGISTRY_SCHEMA = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json';
const BUNDLE_MANIFEST_VERSION = '0.3';
const ADDRESS = 'http://127.0.0.1:8765';
/** The time of all files in archives, so that equal files make equal archives. */
const ARCHIVE_TIME = new Date(1980, 0, 1);

const { name, mcpName, version, description, license, keywords, engines, bin } = JSON.parse(
  readFileSync(join(ROOT, 'package.json'), 'utf8'),
);
const [program] = Object.keys(bin);
const author = { name };

const fromDist = (path) => import(new URL(`../dist/${path}`, import.meta.url).href);

const json = (value) => `${JSON.stringify(value, null, 2)}\n`;

/** The members that an edit of a configuration would add to an empty file. */
const added = ({ changes }) => {
  const root = {};
  for (const { kind, path, value } of changes) {
    const last = path.at(-1);
    const place = path.slice(0, -1).reduce((object, key) => (object[key] ??= {}), root);
    if (kind === 'member') place[last] = value;
    else place[last] = [...(place[last] ?? []), value];
  }
  return root;
};

/** Returns the committed files by path: the plugin of Claude Code, and the marketplace that lists it. */
export const committedListings = async () => {
  const { claudeCode } = await fromDist('plugins/connect/clients/claude-code.js');
  const { hookCommandLine } = await fromDist('plugins/connect/command-line-of.js');
  const { DEFAULT_SERVER_NAME: server } = await fromDist('plugins/connect/client-lines.js');
  const words = { program: [program], node: [] };
  const hooks = added(claudeCode.hooks.edit((hook) => hookCommandLine(words, hook, claudeCode.name, [])));
  const entry = { transport: 'stdio', command: program, args: ['mcp'] };
  const plugin = { name: server, version, description, author, license, keywords };
  return {
    [`${AGENTS}/.claude-plugin/plugin.json`]: json({ ...plugin, ...added(claudeCode.serverEdit(server, entry)) }),
    [`${AGENTS}/hooks/hooks.json`]: json(hooks),
    '.claude-plugin/marketplace.json': json({
      name,
      description,
      owner: author,
      plugins: [{ ...plugin, source: `./${AGENTS}`, category: 'memory' }],
    }),
  };
};

/** The entry for the registry of MCP servers. It must name the package as `mcpName` of package.json does. */
const registryEntry = () => ({
  $schema: REGISTRY_SCHEMA,
  name: mcpName,
  title: 'Fact memory',
  description,
  version,
  packages: [
    {
      registryType: 'npm',
      identifier: name,
      version,
      transport: { type: 'stdio' },
      packageArguments: [{ type: 'positional', value: 'mcp' }],
      environmentVariables: [
        { name: 'SVC_URL', description: 'Address of your node', default: ADDRESS },
        { name: 'SVC_API_KEY', description: 'Key for that node', isSecret: true },
      ],
    },
  ],
});

const bundleManifest = async (entryPoint) => {
  const { CORE_TOOLS } = await fromDist('plugins/mcp/tools/core-tools.js');
  const { DEFAULT_SERVER_NAME: server } = await fromDist('plugins/connect/client-lines.js');
  return {
    manifest_version: BUNDLE_MANIFEST_VERSION,
    name: server,
    display_name: 'Fact memory',
    version,
    description,
    author,
    license,
    keywords,
    server: {
      type: 'node',
      entry_point: entryPoint,
      mcp_config: {
        command: 'node',
        args: [`\${__dirname}/${entryPoint}`, 'mcp'],
        env: { SVC_URL: '${user_config.url}', SVC_API_KEY: '${user_config.api_key}' },
      },
    },
    user_config: {
      url: {
        type: 'string',
        title: 'Address of your node',
        description: 'As you enter it in a browser',
        default: ADDRESS,
        required: true,
      },
      api_key: {
        type: 'string',
        title: 'API key',
        description: 'A key for this client alone, which may read and write',
        sensitive: true,
        required: true,
      },
    },
    tools: CORE_TOOLS.map((tool) => ({ name: tool.name, description: tool.description })),
    tools_generated: true,
    prompts_generated: true,
    compatibility: { platforms: ['darwin', 'linux', 'win32'], runtimes: { node: engines.node } },
  };
};

const filesBelow = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort();

const zipped = (files) => zipSync(files, { level: 9, mtime: ARCHIVE_TIME });

/** The licences of the packages that these modules belong to. */
const licencesOf = (modules) => {
  const ofPackage = /^(?:.*\/)?node_modules\/((?:@[^/]+\/)?[^/]+)/;
  const folders = new Map(modules.flatMap((path) => [ofPackage.exec(path) ?? []]).filter(({ length }) => length > 0));
  const texts = [...folders].sort().map(([folder, packageName]) => {
    const file = readdirSync(join(ROOT, folder)).find((one) => /^licen[cs]e/i.test(one));
    if (file === undefined) throw new Error(`${folder} has no file with its licence.`);
    return `${packageName}\n\n${readFileSync(join(ROOT, folder, file), 'utf8').trim()}\n`;
  });
  return texts.join(`\n${'-'.repeat(80)}\n\n`);
};

/** Makes the bundle that Claude Desktop installs: the command `mcp` in one file, with all packages that it needs. */
const makeBundle = async (path) => {
  const { packExtension } = await import('@anthropic-ai/mcpb');
  const folder = mkdtempSync(join(tmpdir(), 'bundle-'));
  try {
    // Keeps the depth of folders in the package, because the program looks for package.json above it to read its
    // version.
    const entryPoint = 'dist/config/programs/mcp.js';
    const { metafile } = await bundle({
      entryPoints: [join(ROOT, entryPoint)],
      outfile: join(folder, entryPoint),
      bundle: true,
      platform: 'node',
      target: 'node20.12',
      format: 'esm',
      charset: 'utf8',
      minifySyntax: true,
      minifyWhitespace: true,
      metafile: true,
      absWorkingDir: ROOT,
      logLevel: 'warning',
      banner: { js: "import { createRequire as r } from 'node:module'; const require = r(import.meta.url);" },
    });
    writeFileSync(join(folder, 'LICENSES-OF-PACKAGES.txt'), licencesOf(Object.keys(metafile.inputs)));
    writeFileSync(join(folder, 'package.json'), json({ name, version, type: 'module' }));
    writeFileSync(join(folder, 'manifest.json'), json(await bundleManifest(entryPoint)));
    for (const notice of ['LICENSE', 'NOTICE']) copyFileSync(join(ROOT, notice), join(folder, notice));
    // Also validates the manifest.
    const isPacked = await packExtension({ extensionPath: folder, outputPath: path, silent: true });
    if (!isPacked) throw new Error('The manifest of the bundle is not valid, or the bundle cannot be written.');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  // Replaces the present time, which the packer puts into the archive.
  writeFileSync(path, zipped(unzipSync(readFileSync(path))));
};

/** Writes the files that a release adds to the folder, and returns their names. */
export const makeListings = async (folder) => {
  const { DEFAULT_SERVER_NAME: server } = await fromDist('plugins/connect/client-lines.js');
  const names = {
    registry: 'server.json',
    bundle: `${server}-${version}.mcpb`,
    agents: `${server}-agents-${version}.zip`,
    opencode: `${server}-opencode-${version}.js`,
  };
  writeFileSync(join(folder, names.registry), json(registryEntry()));
  await makeBundle(join(folder, names.bundle));
  const agents = filesBelow(join(ROOT, AGENTS)).map((file) => [file, readFileSync(join(ROOT, AGENTS, file))]);
  writeFileSync(join(folder, names.agents), zipped(Object.fromEntries(agents)));
  copyFileSync(join(ROOT, 'dist/plugins/connect/clients/opencode-hooks.js'), join(folder, names.opencode));
  return Object.values(names);
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [path, text] of Object.entries(await committedListings())) {
    mkdirSync(dirname(join(ROOT, path)), { recursive: true });
    writeFileSync(join(ROOT, path), text);
    console.log(path);
  }
}
