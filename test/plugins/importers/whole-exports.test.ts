import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { zipSync } from 'fflate';
import { BUILTIN_FORMATS } from '../../../plugins/importers/builtin-formats.ts';
import { inTemporaryFolder } from '../../kit/temporary-folder.ts';
import { factsAs, json, readFiles, readImport, reasons } from './imported-facts.ts';

describe('An artifact, attachment or tool result in an export', () => {
  it('is stored or counted as skipped, in Claude', async () => {
    const content = [
      { type: 'thinking', thinking: 'hm' },
      { type: 'text', text: 'Here it is' },
      { type: 'tool_use', name: 'artifacts', input: { title: 'Packing', content: '# Packing\nOilskins size L' } },
      { type: 'tool_result', name: 'artifacts', content: [{ type: 'text', text: 'OK' }] },
      { type: 'tool_use', name: 'web_search', input: { query: 'tides' } },
      { type: 'tool_result', name: 'web_search', content: [{ type: 'text', text: 'High at noon' }] },
      { type: 'voice_note', text: 'And a hat' },
      { type: 'hologram' },
    ];
    const attachments = [{ extracted_content: 'a list' }, { file_name: 'empty.pdf' }];
    const message = { uuid: 'm', sender: 'assistant', content, attachments, files: [{ file_name: 'photo.png' }] };
    const only = { uuid: 'n', sender: 'assistant', content: [{ type: 'tool_use', name: 'x', input: {} }] };
    const whole = await readFiles('claude', {
      'conversations.json': json([{ uuid: 'k', chat_messages: [message, only] }]),
    });
    expect(factsAs(whole, 'relation', 'v', 'source')).to.deep.equal([
      ['memory:message:m', 'Here it is\n\nAnd a hat', 'claude:assistant'],
      ['memory:artifact:m:1', '# Packing\nOilskins size L', 'claude:assistant'],
      ['memory:artifact:m:1:title', 'Packing', 'claude:assistant'],
      ['memory:tool_result:m:2', 'High at noon', 'claude:tool/web_search'],
      ['memory:attachment:m:1', 'a list', 'claude:assistant'],
    ]);
    expect(reasons(whole)).to.deep.equal([
      'thoughts of the model',
      'a result of a tool without text',
      'a call of a tool',
      'a part of a message of another kind',
      'an attachment, of which the export has no text',
      'an uploaded file, of which the export has no text',
      'a call of a tool',
    ]);
  });

  it('is stored or counted as skipped, in ChatGPT', async () => {
    const messages = [
      {
        recipient: 'canmore.create_textdoc',
        content: { content_type: 'code', text: json({ name: 'Packing', content: 'Oilskins' }) },
      },
      {
        recipient: 'canmore.update_textdoc',
        content: { content_type: 'code', text: json({ updates: [{ pattern: '.*', replacement: 'Oilskins, hat' }] }) },
      },
      {
        content: {
          parts: [{ content_type: 'audio_transcription', text: 'spoken' }, { content_type: 'audio_asset_pointer' }],
        },
      },
      { content: { parts: ['see this'] }, metadata: { attachments: [{ name: 'a.pdf' }] } },
      { author: { role: 'tool', name: 'browser' }, content: { content_type: 'tether_quote', text: 'High at noon' } },
      { content: { content_type: 'thoughts', thoughts: [{ content: 'hm' }] } },
    ];
    const mapping = Object.fromEntries(
      messages.map((message, at) => [
        `m${at}`,
        { id: `m${at}`, message: { id: `m${at}`, author: { role: 'assistant' }, ...message } },
      ]),
    );
    const files = { 'conversations.json': json([{ id: 'k', mapping }]), 'user.json': '{}' };
    const whole = await readFiles('chatgpt', files);
    expect(factsAs(whole, 'relation', 'v', 'source')).to.deep.equal([
      ['memory:artifact:m0:1', 'Oilskins', 'chatgpt:assistant'],
      ['memory:artifact:m0:1:title', 'Packing', 'chatgpt:assistant'],
      ['memory:artifact:m1:1', 'Oilskins, hat', 'chatgpt:assistant'],
      ['memory:message:m2', 'spoken', 'chatgpt:assistant'],
      ['memory:message:m3', 'see this', 'chatgpt:assistant'],
      ['memory:message:m4', 'High at noon', 'chatgpt:tool/browser'],
    ]);
    expect(reasons(whole)).to.deep.equal([
      'a recording',
      'an attachment, of which the export has no text',
      'a message without text of its own',
      'a file without conversations',
    ]);
  });

  it('is stored or counted as skipped, in Letta', async () => {
    const result = (id: string, content: unknown) => ({ id, role: 'tool', name: 'find', content: json(content) });
    const agent = {
      id: 'a',
      name: 'ada',
      messages: [
        result('r1', { status: 'OK' }),
        result('r2', { status: 'OK', message: 'None', time: 'now' }),
        result('r3', { status: 'OK', message: 'High at noon' }),
        result('r4', { status: 'open', tide: 'high' }),
        { id: 'c', role: 'assistant', content: '', tool_calls: [{ function: { name: 'find', arguments: '{}' } }] },
      ],
    };
    const files = [
      { id: 'f1', file_name: 'tides.md', content: 'High at noon' },
      { id: 'f2', file_name: 'lost.pdf' },
    ];
    const whole = await readFiles('letta', { 'a.af': json({ agents: [agent], files, tools: [{ name: 'find' }] }) });
    expect(factsAs(whole, 'entity', 'relation', 'v')).to.deep.equal([
      ['letta:agent/ada', 'memory:tool_result:r3', 'High at noon'],
      ['letta:agent/ada', 'memory:tool_result:r4', '{"status":"open","tide":"high"}'],
      ['letta:file/tides.md', 'memory:title', 'tides.md'],
      ['letta:file/tides.md', 'memory:file:f1', 'High at noon'],
    ]);
    expect(reasons(whole)).to.deep.equal([
      'a result of a tool without text',
      'a result of a tool without text',
      'a call of a tool',
      'a file, of which the export has no text',
      'a definition of a tool',
    ]);
  });
});

describe('An archive of OpenMemory', () => {
  const memories = {
    user: { id: 'uuid-1', user_id: 'noor', name: 'Noor', created_at: '2025-01-01T00:00:00Z' },
    memories: [
      {
        id: 'm1',
        user_id: 'uuid-1',
        app_id: 'uuid-2',
        content: 'Likes tea',
        metadata: {},
        state: 'active',
        created_at: '2025-01-02T00:00:00Z',
        category_ids: ['uuid-3'],
      },
      { id: 'm2', user_id: 'uuid-1', content: 'Gone', state: 'deleted', category_ids: [] },
      { id: 'm3', user_id: 'uuid-1', content: 'Waits', state: 'paused', category_ids: [] },
    ],
    apps: [{ id: 'uuid-2', name: 'cursor', description: 'An editor', created_at: '2025-01-01T00:00:00Z' }],
    categories: [{ id: 'uuid-3', name: 'drinks', description: null, created_at: '2025-01-01T00:00:00Z' }],
    status_history: [{ memory_id: 'm2' }],
    access_controls: [],
    export_meta: { version: '1' },
  };

  it('becomes facts that show users, apps and categories by name', async () => {
    const zip = zipSync({ 'memories.json': Buffer.from(json(memories)), 'memories.jsonl.gz': Buffer.from([1]) });
    const whole = await readFiles('mem0', { 'export.json': json(memories) });
    expect(factsAs(whole, 'entity', 'relation', 'v', 'source')).to.deep.equal([
      ['mem0:user/noor', 'memory:note:m1', 'Likes tea', 'mem0:app/cursor'],
      ['mem0:user/noor', 'memory:metadata:m1', '{"categories":["drinks"],"app":"cursor"}', 'mem0:app/cursor'],
      ['mem0:user/noor', 'memory:name', 'Noor', 'mem0'],
      ['mem0:app/cursor', 'memory:description', 'An editor', 'mem0'],
    ]);
    const packed = await inTemporaryFolder(async (folder) => {
      await writeFile(join(folder, 'export.zip'), zip);
      return readImport(BUILTIN_FORMATS[0], join(folder, 'export.zip'));
    });
    expect(packed.facts).to.deep.equal(whole.facts);
    expect(reasons(packed)).to.deep.equal([
      'a memory that was deleted',
      'a memory that is paused',
      'a change of the state of a memory',
      'a category without more than its name',
      'a copy of memories.json',
    ]);
  });
});

describe('Numeric ids in an export that a double cannot hold', () => {
  it('remain distinct', async () => {
    const lines = '[{"id":9007199254740992,"memory":"a"},{"id":9007199254740993,"memory":"b"}]';
    expect(factsAs(await readFiles('mem0', { 'm.json': lines }), 'relation').flat()).to.deep.equal([
      'memory:note:9007199254740992',
      'memory:note:9007199254740993',
    ]);
  });
});
