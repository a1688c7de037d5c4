import { useState } from 'preact/hooks';
import { useSession } from '../../session/session.ts';
import { useAddress } from '../../shell/address.ts';
import { RecallForm } from './recall-form.tsx';
import { RecallResults } from './recall-results.tsx';
import { readOtherSettings, readQuestion, readSettings, spellAddress } from './recall-settings.ts';

/** Explains a recall. The question and its settings are in the address; the button sends them. */
export const Recall = () => {
  const { texts } = useSession();
  const { query, open } = useAddress();
  const [round, setRound] = useState(0);
  const question = readQuestion(query);
  const one = readSettings(query);
  const other = readOtherSettings(query);
  return (
    <>
      <h1>{texts.screens.recall}</h1>
      <RecallForm
        question={question}
        one={one}
        other={other}
        onAsk={(asked, settings, others) => {
          open('recall', spellAddress(asked, settings, others));
          // Sending the same question again repeats the request.
          setRound(round + 1);
        }}
      />
      <RecallResults question={question} one={one} other={other} round={round} />
    </>
  );
};
