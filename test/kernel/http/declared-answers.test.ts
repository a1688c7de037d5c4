import { expect } from 'chai';
import type { Answers } from '../../../kernel/internal-api.ts';
import { defineOwnPlugin } from '../../../kernel/internal-api.ts';
import {
  component,
  defineComponent,
  FACT_VALUE,
  listOf,
  NO_BODY,
  objectOf,
  orNull,
  type Reply,
  STRING_JSON,
} from '../../../kernel/plugin-api.ts';
import type { AnyPlugin } from '../../../kernel/plugins/plugin-definition.ts';
import { takeUndeclaredReplies } from '../../kit/check-replies.ts';
import { rejection } from '../../kit/rejection.ts';
import { type Answer, serveRoutes } from '../../kit/serve-routes.ts';
import { startTestNode } from '../../kit/start-test-node.ts';

const PERSON = objectOf({ name: STRING_JSON, garden: orNull(STRING_JSON) }, { optional: ['garden'] });
const GARDENER = defineComponent('Gardener', { summary: 'somebody with a garden', json: PERSON });

const route = (answers: Answers, reply: Reply) => ({
  method: 'GET' as const,
  path: '/v1/thing',
  summary: 'a thing',
  access: 'open' as const,
  answers,
  handle: () => reply,
});

const ask = (answers: Answers, reply: Reply): Promise<Answer> =>
  serveRoutes([route(answers, reply)]).ask('GET', '/v1/thing');

/** Returns the message about an undeclared reply, with which the suite would fail the test. */
const refusal = async (answers: Answers, reply: Reply): Promise<string> => {
  const { message } = await rejection(ask(answers, reply));
  expect(takeUndeclaredReplies().map((error) => error.message)).to.deep.equal([message]);
  return message;
};

const plugin = (more: Partial<AnyPlugin>): AnyPlugin =>
  defineOwnPlugin({ name: 'acme', setup: () => undefined, ...more });

describe('the check of replies against their declared schemas, in tests', () => {
  it('passes a matching body unchanged', async () => {
    const { status, json } = await ask({ 200: { json: PERSON } }, { status: 200, body: { name: 'ida' } });
    expect({ status, json }).to.deep.equal({ status: 200, json: { name: 'ida' } });
    const list = await ask({ 200: { json: listOf(PERSON) } }, { status: 200, body: [{ name: 'ida', garden: null }] });
    expect(list.json).to.deep.equal([{ name: 'ida', garden: null }]);
    expect((await ask({ 204: NO_BODY }, { status: 204 })).status).to.equal(204);
    const text = await ask(
      { 200: { text: ['text/csv'] } },
      { status: 200, contentType: 'text/csv; header=present', text: 'a' },
    );
    expect(text.text).to.equal('a');
  });

  it('fails if the body lacks a member, has an extra one, or has one of another type', async () => {
    const answers = { 200: { json: PERSON } };
    expect(await refusal(answers, { status: 200, body: { garden: 'roses' } })).to.include("required property 'name'");
    expect(await refusal(answers, { status: 200, body: { name: 'ida', age: 9 } })).to.include('additional properties');
    expect(await refusal(answers, { status: 200, body: { name: 9 } })).to.include('body/name must be string');
  });

  it('fails if the status, the media type or the body is undeclared', async () => {
    expect(await refusal({ 200: { json: PERSON } }, { status: 201, body: {} })).to.include('no such status');
    expect(await refusal({ 200: { json: PERSON } }, { status: 200, contentType: 'text/csv', text: 'a' })).to.include(
      'text/csv',
    );
    expect(await refusal({ 204: NO_BODY }, { status: 204, body: {} })).to.include('declares no body');
    expect(await refusal({ 200: { json: PERSON } }, { status: 200 })).to.include('there is no body');
  });

  it('requires refusals to be problem documents', async () => {
    const bare = { status: 404, body: { error: 'nothing' } };
    expect(await refusal({ 200: { json: PERSON } }, bare)).to.include('must be a problem document');
    const wrong = { status: 404, contentType: 'application/problem+json', body: { status: 404 } };
    expect(await refusal({ 200: { json: PERSON } }, wrong)).to.include("required property 'type'");
  });

  it('resolves schemas that plugins share', async () => {
    const answers = { 200: { json: listOf(component(GARDENER)) } };
    const bodies = [[{ name: 'ida' }], [{ name: 'ida', age: 9 }]];
    const node = await startTestNode({
      plugins: [
        plugin({ name: 'roses', declares: [GARDENER] }),
        plugin({
          setup: ({ route: add }) =>
            add({ ...route(answers, { status: 200 }), handle: () => ({ status: 200, body: bodies.shift() }) }),
        }),
      ],
    });
    try {
      expect((await node.request('GET', '/v1/thing')).body).to.deep.equal([{ name: 'ida' }]);
      expect((await rejection(node.request('GET', '/v1/thing'))).message).to.include('additional properties');
      expect(takeUndeclaredReplies()).to.have.length(1);
    } finally {
      await node.stop();
    }
  });

  it('allows members that plugins add to a shared schema', async () => {
    const answers = { 200: { json: { allOf: [component(FACT_VALUE), objectOf({ text: STRING_JSON })] } } };
    const value = { type: 'string', v: 'a', interpret_as: 'content' };
    expect((await ask(answers, { status: 200, body: { ...value, text: 'a' } })).status).to.equal(200);
    expect(await refusal(answers, { status: 200, body: value })).to.include("required property 'text'");
    const more = { status: 200, body: { ...value, text: 'a', bytes: 1 } };
    expect(await refusal(answers, more)).to.include('unevaluated properties');
  });

  it('prevents the start for an undeclared schema, and for one that two plugins declare', async () => {
    const lost = route({ 200: { json: component(GARDENER) } }, { status: 200 });
    const { message } = await rejection(startTestNode({ plugins: [plugin({ setup: ({ route: add }) => add(lost) })] }));
    expect(message).to.include('GET /v1/thing answers with Gardener, a schema that nothing declares');
    const twice = ['roses', 'tulips'].map((name) => plugin({ name, declares: [GARDENER] }));
    const both = await rejection(
      startTestNode({
        plugins: [...twice, plugin({ declares: [defineComponent('Fact', { summary: 'another', json: PERSON })] })],
      }),
    );
    expect(both.message).to.include('the schema Gardener is declared by roses and by tulips');
    expect(both.message).to.include('the schema Fact is declared by kernel and by acme');
  });
});
