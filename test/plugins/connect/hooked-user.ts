import { expect } from 'chai';
import { type ConnectedUser, connectUser } from './connected-user.ts';

export interface Note {
  readonly entity: string;
  readonly source: string;
  readonly scope: string;
  readonly timestamp: string;
  readonly v: string;
}

/** A user whose clients run hooks. Each test has its own session. */
export interface HookedUser {
  /** The user of the current test. */
  readonly user: ConnectedUser;
  /** Starts another session of the same user. */
  nextSession(): void;
  readonly session: string;
  /** Stores a fact with the scope local. */
  say(relation: string, v: string, entity?: string): Promise<void>;
  /** Runs a hook command as a client does. */
  hook(name: string, client: string, input: object, more?: readonly string[]): ReturnType<ConnectedUser['run']>;
  /** Returns the notes of a project, by default of the folder of the current user. */
  notes(project?: string): Promise<readonly Note[]>;
  log(): Promise<string | undefined>;
}

/** Registers the setup and cleanup for each test of a suite. The result is usable only inside tests. */
export const hookUsers = (): HookedUser => {
  let at: ConnectedUser;
  let user: ConnectedUser;
  let session = 0;
  before(async () => {
    at = await connectUser();
  });
  after(() => at.stop());
  beforeEach(async () => {
    user = await connectUser(at.node);
    session += 1;
  });
  afterEach(() => user.stop());
  return {
    get user() {
      return user;
    },
    get session() {
      return `session-${session}`;
    },
    nextSession() {
      session += 1;
    },
    async say(relation, v, entity = 'project:acme-web') {
      const fact = { entity, relation, value: { type: 'string', v }, source: 'user:noor', scope: 'local' };
      expect((await at.node.ask('POST', '/v1/facts', fact)).status).to.equal(201);
    },
    hook(name, client, input, more = []) {
      const whole = { session_id: `session-${session}`, cwd: user.project, ...input };
      // The timeout is long because other tests may keep the machine busy.
      const words = ['hook', name, '--client', client, '--timeout-ms', '60000', ...more];
      return user.run(words, {}, JSON.stringify(whole));
    },
    async notes(project = user.project) {
      const { body } = await at.node.ask('GET', '/v1/facts?relation=memory:said&limit=500');
      const facts = body.facts as readonly (Omit<Note, 'v'> & { readonly value: { readonly v: string } })[];
      return facts
        .filter(({ entity }) => entity.startsWith(`project:${project}/note/`))
        .map((fact) => ({ ...fact, v: fact.value.v }));
    },
    log: () => user.read('.cache/fact-memory-node/hooks.log'),
  };
};
