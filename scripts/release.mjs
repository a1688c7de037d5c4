// `npm run release -- [FOLDER]`: creates the files of a release, by default in release/. These are the tarball, an SBOM
// of runtime packages (CycloneDX, from the lock file), the wheel of the Python client, files by which other programs
// install this one, and SHA-256 checksums. It publishes nothing. `--built` uses dist/ as it is. It refuses uncommitted
// sources, because a release is made from a commit.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from './build.mjs';
import { buildWheel, pythonVersion } from './build-wheel.mjs';
import { makeListings } from './make-listings.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

const fail = (why) => {
  console.error(why);
  process.exit(1);
};

const run = (command, args) => {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: MAX_OUTPUT_BYTES,
  });
  if (error !== undefined) fail(`${command} cannot be run: ${error.code}`);
  if (status !== 0) fail(`${command} ${args[0]} failed:\n${stderr}`);
  return stdout;
};

const args = process.argv.slice(2);
const folder = resolve(args.find((arg) => !arg.startsWith('--')) ?? join(ROOT, 'release'));

if (run('git', ['status', '--porcelain']).trim() !== '') {
  fail('Some sources are not committed. Commit them or put them aside: a release is made of a commit.');
}
const commit = run('git', ['rev-parse', 'HEAD']).trim();
const commitTime = new Date(run('git', ['show', '--no-patch', '--format=%cI', 'HEAD']).trim()).toISOString();
mkdirSync(folder, { recursive: true });
if (readdirSync(folder).length > 0) fail('The folder for the release is not empty. Name another, or empty it.');
if (!args.includes('--built') && !build({ ifNeeded: false })) fail('The sources do not compile.');

const [{ filename, name, version }] = JSON.parse(
  run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder, '--loglevel', 'error']),
);

const sbom = JSON.parse(
  run('npm', ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only', '--loglevel', 'error']),
);
// Filters here instead of using --omit=dev, which also drops packages needed both for running and for development.
const isForDevelopment = ({ properties }) => properties.some(({ name }) => name === 'cdx:npm:package:development');
sbom.components = sbom.components.filter((component) => !isForDevelopment(component));
const refs = new Set([sbom.metadata.component['bom-ref'], ...sbom.components.map((component) => component['bom-ref'])]);
sbom.dependencies = sbom.dependencies
  .filter(({ ref }) => refs.has(ref))
  .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => refs.has(one)).sort() }));

// Makes the SBOM reproducible: its serial number and time follow from the commit, and its lists are sorted.
const hex = createHash('sha256').update(`${name}@${version} ${commit}`).digest('hex');
const uuid = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
sbom.serialNumber = `urn:uuid:${uuid}`;
sbom.metadata.timestamp = commitTime;
// Sets the name, because npm names the component after the folder of the sources.
sbom.metadata.component.name = name;
const order = (key) => (a, b) => (a[key] < b[key] ? -1 : Number(a[key] > b[key]));
sbom.components.sort(order('bom-ref'));
sbom.dependencies.sort(order('ref'));
const sbomName = `${name}-${version}.cdx.json`;
writeFileSync(join(folder, sbomName), `${JSON.stringify(sbom, null, 2)}\n`);

const wheel = buildWheel(folder, new Date(commitTime));
if (wheel.broken !== undefined) fail(`The wheel cannot be built:\n${wheel.broken}`);
if (wheel.missing !== undefined) console.error(`This release has no wheel: ${wheel.missing}.`);
else if (wheel.file.split('-')[1] !== pythonVersion(version)) {
  fail(`client/python/pyproject.toml has another version than package.json: set ${pythonVersion(version)} there.`);
}

const names = [filename, sbomName, ...(await makeListings(folder)), wheel.file ?? []].flat().sort();
const digestOf = (file) => createHash('sha256').update(readFileSync(join(folder, file))).digest('hex');
writeFileSync(join(folder, 'SHA256SUMS'), names.map((file) => `${digestOf(file)}  ${file}\n`).join(''));
for (const file of [...names, 'SHA256SUMS']) console.log(join(folder, file));
