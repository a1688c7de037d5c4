import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { parseAllDocuments } from 'yaml';
import { declaredSettings } from '../../config/describe-settings.ts';
import { loadNodeConfig } from '../../config/node-config.ts';
import { STOP_LIMIT_MS } from '../../kernel/boot/stop-node.ts';
import { type FactStore, ServiceError } from '../../ports/ports.ts';
import { projectRoot } from '../architecture/source-files.ts';
import { startTestNode } from '../kit/start-test-node.ts';

const ROOT = projectRoot();
const FOLDER = join(ROOT, 'packaging/kubernetes');
const APART = join(ROOT, 'test/kubernetes');
/** The time for which the node keeps the result of its check. */
const HEALTH_KEPT_MS = 1_000;
const runFile = promisify(execFile);

/** The objects of the manifests by their kind. */
const KINDS: Readonly<Record<string, string>> = {
  ConfigMap: 'v1/ConfigMap',
  Service: 'v1/Service',
  PodDisruptionBudget: 'policy/v1/PodDisruptionBudget',
  Deployment: 'apps/v1/Deployment',
};

// biome-ignore lint/suspicious/noExplicitAny: the schemas of Kubernetes check the shape
type Manifest = any;

/** Returns the complaints about objects, by the types that are made from the schemas of Kubernetes. */
const complaintsAbout = async (objects: readonly Manifest[]): Promise<string> => {
  const folder = mkdtempSync(join(APART, 'check-'));
  try {
    // A literal of the type must have only known members, each with an allowed value.
    const file = join(folder, 'manifests.ts');
    const lines = objects.flatMap((object, at) => [
      `import type { I${object.kind} as Kind${at} } from 'kubernetes-models/${KINDS[object.kind]}';`,
      `export const object${at}: Kind${at} = ${JSON.stringify(object)};`,
    ]);
    writeFileSync(file, lines.join('\n'));
    const flags = ['--noEmit', '--strict', '--ignoreConfig', '--skipLibCheck', '--types', '', '--pretty', 'false'];
    const modules = ['--module', 'esnext', '--moduleResolution', 'bundler', '--target', 'es2022'];
    const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
    await runFile(process.execPath, [compiler, ...flags, ...modules, file]);
    return '';
  } catch (error) {
    return String((error as { readonly stdout?: unknown }).stdout);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

describe('the manifests for Kubernetes', function () {
  this.timeout(120_000);
  const text = readFileSync(join(FOLDER, 'node.yaml'), 'utf8');
  const documents = parseAllDocuments(text, { strict: true, uniqueKeys: true });
  const objects = documents.map((document) => document.toJS() as Manifest);
  const objectOf = (kind: string): Manifest => objects.find((object) => object.kind === kind);
  const deployment = objectOf('Deployment').spec;
  const pod = deployment.template.spec;
  const [container] = pod.containers;

  it('are valid YAML, one object of each kind', () => {
    expect(documents.flatMap(({ errors, warnings }) => [...errors, ...warnings])).to.deep.equal([]);
    expect(objects.map(({ kind }) => kind)).to.have.members(Object.keys(KINDS));
    expect(new Set(objects.map(({ metadata }) => metadata.name))).to.deep.equal(new Set(['fact-memory-node']));
  });

  it('have only members and values that the schemas of Kubernetes know', async () => {
    if (!existsSync(join(APART, 'node_modules'))) {
      console.log('      the schemas are not installed: npm ci --prefix test/kubernetes --ignore-scripts');
      return;
    }
    expect(await complaintsAbout(objects)).to.equal('');
    const wrong = structuredClone(objects);
    wrong[objects.indexOf(objectOf('Deployment'))].spec.template.spec.containers[0].livenessProb = {};
    expect(await complaintsAbout(wrong)).to.include('livenessProb');
  });

  it('select the pods of the deployment', () => {
    const { labels } = deployment.template.metadata;
    expect(objectOf('Service').spec.selector).to.deep.equal(labels);
    for (const { selector } of [deployment, objectOf('PodDisruptionBudget').spec])
      expect(selector.matchLabels).to.deep.equal(labels);
    for (const { labelSelector } of pod.topologySpreadConstraints)
      expect(labelSelector.matchLabels).to.deep.equal(labels);
    expect(objectOf('PodDisruptionBudget').spec.minAvailable).to.be.below(deployment.replicas);
  });

  it('give the node no privilege, and no place to write except its volumes', () => {
    expect(pod.securityContext).to.deep.include({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
    expect(container.securityContext).to.deep.equal({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect([pod.automountServiceAccountToken, pod.hostNetwork, pod.hostPID]).to.deep.equal([
      false,
      undefined,
      undefined,
    ]);
    const [, data] = /^VOLUME (\S+)$/m.exec(readFileSync(join(ROOT, 'Dockerfile'), 'utf8')) ?? [];
    const writable = container.volumeMounts.filter(({ readOnly }: Manifest) => readOnly !== true);
    expect(writable.map(({ mountPath }: Manifest) => mountPath)).to.deep.equal([data, '/tmp']);
  });

  it('set only variables that the node reads, and no secret among them', async () => {
    const settings = new Map((await declaredSettings()).map((setting) => [setting.variable, setting]));
    const { data } = objectOf('ConfigMap');
    expect(Object.keys(data).filter((name) => !settings.has(name))).to.deep.equal([]);
    expect(text).not.to.match(/kind: Secret|password|PRIVATE_KEY|API_KEY/i);
  });

  it('let the node finish: the drain and the stop end before the pod is killed', () => {
    const drainMs = Number(objectOf('ConfigMap').data.SVC_DRAIN_DELAY_S) * 1_000;
    const { periodSeconds, failureThreshold } = container.readinessProbe;
    expect(drainMs).to.be.above(periodSeconds * failureThreshold * 1_000);
    expect(pod.terminationGracePeriodSeconds * 1_000).to.be.above(drainMs + STOP_LIMIT_MS);
    expect(deployment.strategy.rollingUpdate.maxUnavailable).to.equal(0);
  });

  it('send no requests to a process without its database, and do not restart it', async () => {
    let isAway = false;
    const away = () => Promise.reject(new ServiceError('unavailable', 'the database cannot be reached'));
    const wrapStore = (store: FactStore): FactStore =>
      new Proxy(store, {
        get: (target, name) => {
          const member = Reflect.get(target, name);
          return isAway && typeof member === 'function'
            ? away
            : typeof member === 'function'
              ? member.bind(target)
              : member;
        },
      });
    const node = await startTestNode({ wrapStore });
    const statusOf = async (probe: Manifest): Promise<number> =>
      (await node.request('GET', probe.httpGet.path, { headers: { Host: '10.1.2.3:8765' } })).status;
    try {
      expect(await statusOf(container.startupProbe)).to.equal(200);
      isAway = true;
      await node.clock.advance(HEALTH_KEPT_MS);
      expect(await statusOf(container.readinessProbe)).to.equal(503);
      expect(container.livenessProbe.tcpSocket).to.deep.equal({ port: container.ports[0].name });
    } finally {
      isAway = false;
      await node.stop();
    }
  });

  it('read their secrets from a file whose example the node accepts', async () => {
    const example = readFileSync(join(FOLDER, 'node.json'), 'utf8');
    const folder = mkdtempSync(join(tmpdir(), 'kubernetes-'));
    try {
      const configFile = join(folder, 'node.json');
      writeFileSync(configFile, example.replace('"PRIVATE_KEY"', `"${'A'.repeat(43)}"`).replace('FIRST_', 'FIRST_OF_'));
      const { problems } = await loadNodeConfig({ configFile, env: objectOf('ConfigMap').data });
      expect(problems).to.deep.equal([]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
    const [, , path] = container.args;
    expect(path).to.equal(`${container.volumeMounts[0].mountPath}/node.json`);
  });
});
