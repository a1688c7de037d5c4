import type { AnswerOf } from '../../../../../client/client.ts';
import { CopyButton } from '../../kit/copy-button.tsx';
import { ScrollBox } from '../../kit/scroll-box.tsx';
import { useTexts } from '../../kit/use-texts.ts';
import { fill } from '../../texts/texts.ts';

/** The lines that connect one client, as the node gives them. */
export type Lines = AnswerOf<'GET /v1/connect/clients'>['clients'][number];

/** Stands for the address of the node in the lines. */
const PLACE = '{address}';

/** The command that connects a client, or the same lines by hand. */
export const ClientSteps = ({ lines, address }: { lines: Lines; address: string }) => {
  const { connect: own } = useTexts();
  const { command, text, files, remarks, transport } = lines;
  return (
    <>
      <h3>{own.byCommand}</h3>
      <Copied label={own.byCommand} copy={own.copyCommand} text={command.replaceAll(PLACE, address)} />
      <p class="muted">{own.byCommandHint}</p>
      <h3>{own.byHand}</h3>
      <p>{fill(own.byHandHint, { files: files.join(', ') })}</p>
      <Copied label={own.byHand} copy={own.copyLines} text={text.replaceAll(PLACE, address)} />
      <p class="muted">{transport === 'http' ? own.keyVariable : own.keyOfProgram}</p>
      {remarks.length > 0 && (
        <ul>
          {remarks.map((remark) => (
            <li key={remark}>{remark}</li>
          ))}
        </ul>
      )}
    </>
  );
};

const Copied = ({ label, copy, text }: { label: string; copy: string; text: string }) => (
  <div class="copied-lines">
    <ScrollBox label={label} class="document">
      <pre>{text}</pre>
    </ScrollBox>
    <CopyButton text={text} label={copy} />
  </div>
);
