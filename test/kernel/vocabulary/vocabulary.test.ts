import { expect } from 'chai';
import {
  defineErrorCode,
  definePermission,
  defineVocabulary,
  ErrorCodes,
  KERNEL_API,
  Permissions,
  type Plugin,
  ServiceError,
  Vocabulary,
  type Word,
} from '../../../kernel/plugin-api.ts';
import type { AnyPlugin } from '../../../kernel/plugins/plugin-definition.ts';
import { BootError } from '../../../kernel/problems/boot-problem.ts';
import { rejection } from '../../kit/rejection.ts';
import { startTestNode } from '../../kit/start-test-node.ts';

const plugin = (name: string, more: Partial<Plugin> = {}): AnyPlugin => ({
  name,
  version: '1.0.0',
  kernelApi: KERNEL_API,
  setup: () => undefined,
  ...more,
});

const problemsOf = async (...plugins: AnyPlugin[]): Promise<string[]> => {
  const error = await rejection(startTestNode({ plugins }));
  if (!(error instanceof BootError)) throw error;
  return error.problems.map(({ message }) => message);
};

const errorOf = (work: () => unknown): Error => {
  try {
    work();
  } catch (error) {
    return error as Error;
  }
  throw new Error('nothing was thrown');
};

const spent = defineErrorCode('budget_spent', { status: 409, summary: 'no budget is left' });
const audit = definePermission('budget.audit', { summary: 'read what was spent' });

describe('the vocabulary of a node', () => {
  it('contains the words of the kernel, then those of its plugins', async () => {
    let seen: Vocabulary | undefined;
    const node = await startTestNode({
      plugins: [
        plugin('budget', { declares: [spent, audit] }),
        plugin('reader', {
          requires: { vocabulary: Vocabulary },
          setup: ({ use }) => {
            seen = use['vocabulary'] as unknown as Vocabulary;
          },
        }),
      ],
    });
    expect(seen?.find(ErrorCodes, 'budget_spent')).to.equal(spent);
    expect(seen?.find(Permissions, 'budget_spent')).to.equal(undefined);
    expect(seen?.words(ErrorCodes)).to.deep.include({
      vocabulary: 'error code',
      id: 'lookup',
      status: 404,
      summary: seen?.find(ErrorCodes, 'lookup')?.summary,
    });
    expect(seen?.words(Permissions).at(-1)).to.equal(audit);
    expect(seen?.all().find(({ word }) => word.id === 'read')?.owner).to.equal('kernel');
    expect(seen?.all().find(({ word }) => word === spent)?.owner).to.equal('budget');
    await node.stop();
  });

  it('accepts one owner for each word; otherwise the node does not start', async () => {
    const again = defineErrorCode('budget_spent', { status: 429, summary: 'another meaning' });
    const mine = defineErrorCode('lookup', { status: 404, summary: 'something of mine' });
    const found = await problemsOf(
      plugin('budget', { declares: [spent, audit] }),
      plugin('other', { declares: [again, mine] }),
      plugin('double', { declares: [audit, audit] }),
      plugin('old', { kernelApi: 7 as 1 }),
    );
    expect(found).to.have.members([
      'the error code budget_spent is declared by budget and by other',
      'the error code lookup is declared by kernel and by other',
      'the permission budget.audit is declared by budget and by double',
      'old is written for version 7 of the kernel interface, this node has 1',
    ]);
  });

  it('allows the same word in different vocabularies', async () => {
    const Colours = defineVocabulary('colour', /^[a-z_]+$/);
    const colour = Colours.define('budget_spent', { summary: 'red' });
    const node = await startTestNode({
      plugins: [plugin('a', { declares: [spent] }), plugin('b', { declares: [colour] })],
    });
    await node.stop();
  });

  it('refuses words that equal reserved names, which no search returns', async () => {
    const Shelves = defineVocabulary('shelf', /^[a-z]+$/);
    const owner = plugin('owner', { declares: [Shelves.reserve('top')] });
    const taker = plugin('taker', { declares: [Shelves.define('top', { summary: 'my own' })] });
    expect(await problemsOf(owner, taker)).to.deep.equal(['the shelf top is declared by owner and by taker']);

    const node = await startTestNode({ plugins: [owner] });
    const vocabulary = node.kernel.get(Vocabulary);
    expect(vocabulary.words(Shelves)).to.deep.equal([]);
    expect(vocabulary.find(Shelves, 'top')).to.equal(undefined);
    expect(vocabulary.all().filter(({ owner }) => owner === 'owner')).to.deep.equal([]);
    await node.stop();
  });

  it('refuses a word with a part that another word has declared', async () => {
    const Shelves = defineVocabulary('shelf', /^[a-z]+$/);
    const Books = defineVocabulary('book', /^[a-z]+$/);
    const shelf = (id: string, ...books: string[]) =>
      Shelves.define(id, { summary: id, parts: books.map((book) => Books.define(book, { summary: book })) });
    expect(
      await problemsOf(
        plugin('a', { declares: [shelf('upper', 'dune', 'emma')] }),
        plugin('b', { declares: [shelf('lower', 'emma')] }),
      ),
    ).to.deep.equal(['the book emma is declared by a and by b']);
  });

  it('refuses words in a wrong format', async () => {
    for (const word of [null, 'text', {}, { vocabulary: 'colour', id: 'red' }, { ...spent, parts: [1] }]) {
      expect(await problemsOf(plugin('a', { declares: [word as unknown as Word] }))).to.deep.equal([
        'a declares something that is not a word',
      ]);
    }
  });

  it('refuses ids that clients cannot write', () => {
    const code = (id: string, status = 400) => errorOf(() => defineErrorCode(id, { status, summary: 'x' })).message;
    expect(code('Budget spent')).to.include('is no error code');
    expect(code('budget', 200)).to.include('a status from 400 to 599');
    for (const id of ['any', 'Read', '', 'a b', 'a,b']) {
      expect(errorOf(() => definePermission(id, { summary: 'x' })).message).to.include('is no permission');
    }
  });
});

describe('a permission that a route requires', () => {
  const answers = { 200: {} };
  const handle = () => ({ status: 200 });
  const route = { method: 'GET', path: '/v1/budget', summary: 'x', answers, handle } as const;

  it('must be declared by a plugin', async () => {
    const asking = plugin('asking', { setup: (context) => context.route({ ...route, access: { permission: audit } }) });
    expect(await problemsOf(asking)).to.deep.equal([
      'plugin "asking": the route GET /v1/budget asks for the permission budget.audit, which nobody declares',
    ]);
    const node = await startTestNode({ plugins: [asking, plugin('budget', { declares: [audit] })] });
    await node.stop();
  });
});

describe('an error with a declared code', () => {
  it('has the code and the status of its declaration', () => {
    const error = new ServiceError(spent, 'the budget is spent; ask for more');
    expect([error.code, error.status]).to.deep.equal(['budget_spent', 409]);
    expect(new ServiceError(spent, 'x', { status: 429 }).status).to.equal(429);
  });

  it('cannot be thrown with an undeclared code', () => {
    const error = errorOf(() => new ServiceError('budget_spent' as 'lookup', 'x'));
    expect(error).to.be.instanceOf(TypeError);
    expect(error.message).to.include('declare it with defineErrorCode');
  });
});
