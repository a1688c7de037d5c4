import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { parseDocument } from 'yaml';
import { declaredSettings } from '../../config/describe-settings.ts';
import { projectRoot } from '../architecture/source-files.ts';

interface Service {
  readonly image: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly volumes: readonly string[];
  readonly ports?: readonly string[];
  readonly secrets?: readonly string[];
  readonly restart: string;
  readonly cap_drop?: readonly string[];
  readonly stop_grace_period: string;
}

interface ComposeFile {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, null>>;
  readonly secrets: Readonly<Record<string, { readonly environment?: string; readonly file?: string }>>;
}

describe('the compose file', () => {
  const text = readFileSync(join(projectRoot(), 'compose.yaml'), 'utf8');
  const document = parseDocument(text, { strict: true, uniqueKeys: true });
  const { services, volumes, secrets } = document.toJS() as ComposeFile;
  const { node, database } = services as { node: Service; database: Service };

  it('is valid YAML', () => {
    expect([...document.errors, ...document.warnings]).to.deep.equal([]);
    expect(Object.keys(services)).to.deep.equal(['node', 'database']);
  });

  it('sets only variables that the node reads', async () => {
    const known = new Set((await declaredSettings()).map(({ variable }) => variable));
    const named = [...text.matchAll(/\bSVC_\w+/g)].map(([name]) => name);
    expect(named).to.not.be.empty;
    expect(named.filter((name) => !known.has(name))).to.deep.equal([]);
    expect(node.environment['SVC_DATABASE_URL']).to.match(/^postgres:\/\/svc@database:5432\/facts$/);
  });

  it('contains no password, and does not start without one', () => {
    const required = /^\$\{POSTGRES_PASSWORD:\?[^}]+\}$/;
    expect(node.environment['PGPASSWORD']).to.match(required);
    expect(database.environment['POSTGRES_PASSWORD']).to.equal(undefined);
    expect(database.environment['POSTGRES_PASSWORD_FILE']).to.equal('/run/secrets/database-password');
    expect(secrets).to.deep.equal({ 'database-password': { environment: 'POSTGRES_PASSWORD' } });
    expect(database.secrets).to.deep.equal(Object.keys(secrets));
    expect(text).to.not.match(/trust|\$\{POSTGRES_PASSWORD:-/);
  });

  it('starts the node only when its database is healthy, and names both services', () => {
    expect(node.depends_on).to.deep.equal({ database: { condition: 'service_healthy' } });
    const { POSTGRES_USER: user, POSTGRES_DB: name } = database.environment;
    expect(node.environment['SVC_DATABASE_URL']).to.contain(`${user}@`).and.to.contain(`/${name}`);
    expect(database.healthcheck?.test).to.include.members(['pg_isready', `--username=${user}`, `--dbname=${name}`]);
    expect(readFileSync(join(projectRoot(), 'Dockerfile'), 'utf8')).to.match(/^HEALTHCHECK /m);
  });

  it('stores data in named volumes, at the paths of the images', () => {
    const [, folder] = /^VOLUME (\S+)$/m.exec(readFileSync(join(projectRoot(), 'Dockerfile'), 'utf8')) ?? [];
    expect(node.volumes).to.deep.equal([`node-data:${folder}`]);
    expect(database.volumes).to.deep.equal(['database-data:/var/lib/postgresql/data']);
    expect(Object.keys(volumes)).to.deep.equal(['node-data', 'database-data']);
  });

  it('is reachable only from the local machine, runs without privileges, and allows enough time to stop', () => {
    expect(node.ports?.every((port) => port.startsWith('127.0.0.1:'))).to.equal(true);
    expect(database.ports).to.equal(undefined);
    expect(node.cap_drop).to.deep.equal(['ALL']);
    expect(Number.parseInt(node.stop_grace_period, 10)).to.be.above(10);
    for (const { image, restart } of [node, database]) {
      expect([image, restart]).to.satisfy(() => !image.endsWith(':latest') && restart === 'unless-stopped');
    }
  });
});
