/** Functions that build a transcript of user messages in the format of each client. */
export const TRANSCRIPTS: Readonly<Record<string, (said: readonly string[]) => string>> = {
  'claude-code': (said) =>
    [
      { type: 'summary', summary: 'not said' },
      { type: 'user', isMeta: true, uuid: 'm', message: { role: 'user', content: 'Caveat: not said' } },
      { type: 'user', uuid: 'c', message: { role: 'user', content: '<command-name>/clear</command-name>' } },
      { type: 'user', uuid: 't', message: { role: 'user', content: [{ type: 'tool_result', content: 'not said' }] } },
      { type: 'assistant', uuid: 'a', message: { role: 'assistant', content: [{ type: 'text', text: 'not said' }] } },
      ...said.map((text, number) => ({
        type: 'user',
        uuid: `u${number}`,
        timestamp: `2026-03-0${number + 1}T09:00:00.000Z`,
        message: { role: 'user', content: number % 2 === 0 ? text : [{ type: 'text', text }] },
      })),
    ]
      .map((line) => `${JSON.stringify(line)}\n`)
      .join(''),
  codex: (said) =>
    [
      { timestamp: '2026-03-01T09:00:00.000Z', type: 'session_meta', payload: { id: 's', cwd: '/w' } },
      {
        type: 'response_item',
        payload: { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'not said' }] },
      },
      ...said.map((message, number) => ({
        timestamp: `2026-03-0${number + 1}T09:00:00.000Z`,
        type: 'event_msg',
        payload: { type: 'user_message', message },
      })),
      { type: 'event_msg', payload: { type: 'agent_message', message: 'not said' } },
    ]
      .map((line) => `${JSON.stringify(line)}\n`)
      .join(''),
  cursor: (said) =>
    said
      .flatMap((text) => [
        { role: 'user', message: { content: [{ type: 'text', text: `<user_query>\n${text}\n</user_query>` }] } },
        { role: 'assistant', message: { content: [{ type: 'text', text: 'not said' }] } },
      ])
      .map((line) => `${JSON.stringify(line)}\n`)
      .join(''),
  'gemini-cli': (said) =>
    [
      { sessionId: 's', kind: 'main' },
      { $set: { messages: [{ id: 'c', type: 'user', content: [{ text: 'not said' }] }] } },
      { id: 'r', type: 'user', content: [{ functionResponse: { response: { output: 'not said' } } }] },
      ...said.map((text, number) => ({
        id: `u${number}`,
        timestamp: `2026-03-0${number + 1}T09:00:00.000Z`,
        type: 'user',
        content: [{ text: '<hook_context>not said</hook_context>\n\n' }, { text }],
      })),
      { id: 'g', type: 'gemini', content: 'not said' },
    ]
      .map((line) => `${JSON.stringify(line)}\n`)
      .join(''),
  opencode: (said) =>
    [...said.map((content) => ({ role: 'user', content })), { role: 'assistant', content: 'not said' }]
      .map((line) => `${JSON.stringify(line)}\n`)
      .join(''),
  vscode: (said) =>
    [
      { type: 'session.start', data: { sessionId: 's' }, id: '0' },
      ...said.map((content, number) => ({
        type: 'user.message',
        data: { content, attachments: [] },
        id: `m${number}`,
      })),
      { type: 'assistant.message', data: { content: 'not said' }, id: '9' },
    ]
      .map((line) => `${JSON.stringify(line)}\n`)
      .join(''),
};
