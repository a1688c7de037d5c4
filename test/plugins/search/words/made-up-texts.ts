/** Texts of a language, and questions with the place of the text that answers each. No question repeats its text's forms. */
export interface Sample {
  readonly language: string;
  readonly texts: readonly string[];
  readonly questions: readonly (readonly [question: string, answer: number])[];
}

export const SAMPLES: readonly Sample[] = [
  {
    language: 'German',
    texts: [
      'Die Großmutter bewahrt ihre alten Bücher in der Truhe auf dem Dachboden auf.',
      'Wir haben am Samstag mit den Nachbarn die Gärten hinter den Häusern gegossen.',
      'Der Mechaniker hat die Bremsen des Lastwagens geprüft.',
    ],
    questions: [
      ['Wo ist das Buch der GROSSMUTTER?', 0],
      ['Garten vom Haus', 1],
      ['Bremse prüfen', 2],
      ['Grossmutter', 0],
      ['Gaerten', 1],
    ],
  },
  {
    language: 'French',
    texts: [
      "La boulangère a rangé l'échelle derrière les grands chevaux de bois.",
      "Nous avons planté des pommiers près de l'étang avec mon frère.",
      'Le directeur est très heureux des nouvelles machines de son atelier.',
    ],
    questions: [
      ['Où sont les échelles ?', 0],
      ['cheval de bois', 0],
      ['quel pommier avons-nous planté ?', 1],
      ['étangs', 1],
      ['une machine nouvelle', 2],
    ],
  },
  {
    language: 'Spanish',
    texts: [
      'Las llaves del molino están en la caja azul de la cocina.',
      'Mi hermana trabaja en una fábrica de lápices cerca del río.',
      'El pescador vendió todas las flores que tenía en el jardín.',
    ],
    questions: [
      ['¿Dónde está la llave?', 0],
      ['cajas azules', 0],
      ['trabajar con un lapiz', 1],
      ['flor', 2],
      ['jardines de pescadores', 2],
    ],
  },
  {
    language: 'Portuguese',
    texts: [
      'As canções do avô estão guardadas em um caderno vermelho.',
      'O padeiro comprou dois cavalos na feira da cidade.',
      'Ela não come pão com manteiga de manhã.',
    ],
    questions: [
      ['Onde está a canção?', 0],
      ['cadernos vermelhos', 0],
      ['comprar um cavalo', 1],
      ['pães', 2],
    ],
  },
  {
    language: 'Italian',
    texts: [
      "Gli amici della nonna hanno dipinto l'armadio di verde.",
      'Il gatto dorme sempre sotto la finestra della cucina.',
      'Mio zio vende vecchi orologi al mercato del porto.',
    ],
    questions: [
      ["un'amica ha gli armadi", 0],
      ['dove dormono i gatti?', 1],
      ['orologio vecchio', 2],
      ['finestre', 1],
    ],
  },
  {
    language: 'Dutch',
    texts: [
      'De oude bomen staan achter het huis van mijn tante.',
      'Zij heeft drie katten en een hond die niet van regen houdt.',
      'De brieven van de burgemeester liggen in de la.',
    ],
    questions: [
      ['welke boom staat er bij de huizen?', 0],
      ['kat', 1],
      ['brief', 2],
      ['honden', 1],
    ],
  },
  {
    language: 'Swedish',
    texts: [
      'Flickorna plockade blåbär i skogen bakom sjön.',
      'Det är min bror som har målat båten röd.',
      'Hundarna sover inte när åskan går över ön.',
    ],
    questions: [
      ['flicka', 0],
      ['båtar', 1],
      ['skog', 0],
      ['vem har en hund?', 2],
    ],
  },
  {
    language: 'Danish',
    texts: [
      'Bøgerne ligger på bordet ved siden af lampen.',
      'Han har købt et gammelt hus med en have ved åen.',
      'Vi skal ikke glemme nøglerne til kælderen.',
    ],
    questions: [
      ['bog', 0],
      ['husene', 1],
      ['en nøgle', 2],
      ['borde', 0],
    ],
  },
  {
    language: 'Finnish',
    texts: [
      'Mummon kirjat ovat kaapissa, joka on eteisen vieressä.',
      'Me asumme kaupungissa, mutta kesällä olemme saaressa.',
      'Talossa ei ole enää vanhoja huonekaluja.',
    ],
    questions: [
      ['kirja', 0],
      ['missä kaupunki on?', 1],
      ['talot', 2],
    ],
  },
  {
    language: 'Polish',
    texts: [
      'Dziadek trzyma stare zegary w szafie obok okna.',
      'Nie wiem, gdzie są klucze do tego domu nad jeziorem.',
      'Moja siostra kupiła żółty rower na targu.',
    ],
    questions: [
      ['zegar', 0],
      ['dom', 1],
      ['klucz', 1],
      ['żółte rowery', 2],
      ['zolty', 2],
    ],
  },
  {
    language: 'Czech',
    texts: [
      'Babička má ve sklepě deset starých hrnců a jednu lampu.',
      'Náš soused jezdí každý den na kole do lesa.',
      'Ty obrazy, které visí nad krbem, jsou od mého strýce.',
    ],
    questions: [
      ['lampy', 0],
      ['kola', 1],
      ['obraz', 2],
      ['sousedé', 1],
    ],
  },
  {
    language: 'Hungarian',
    texts: [
      'A nagymama könyvei a padláson vannak egy ládában.',
      'Az uram minden este a kertben ül, és nem szól senkihez.',
      'A halász eladta a csónakját, mert már nagyon öreg volt.',
    ],
    questions: [
      ['láda', 0],
      ['hol van a kert?', 1],
      ['halászok', 2],
    ],
  },
  {
    language: 'Romanian',
    texts: [
      'Bunica are cărțile vechi într-un dulap din pod.',
      'Noi nu am găsit cheia de la poarta grădinii.',
      'Pescarul a vândut trei bărci și o plasă.',
    ],
    questions: [
      ['dulapuri', 0],
      ['o cheie', 1],
      ['un pescar', 2],
      ['gradina', 1],
    ],
  },
  {
    language: 'Turkish',
    texts: [
      "Kardeşim Ankara'da küçük bir evde oturuyor ve kediler besliyor.",
      'Bu kitaplar dedemin odasında çok eski bir sandıkta.',
      'IŞIKLAR SÖNDÜ, ama balıkçı gibi beklediler.',
    ],
    questions: [
      ['Ankara', 0],
      ['kedi', 0],
      ['kitap', 1],
      ['ışık', 2],
    ],
  },
  {
    language: 'Russian',
    texts: [
      'Бабушка хранит старые книги в сундуке на чердаке.',
      'Мы посадили ёлку за домом, возле реки.',
      'Сосед починил велосипеды моих сестёр.',
    ],
    questions: [
      ['где книга?', 0],
      ['елка', 1],
      ['велосипед сестры', 2],
      ['СУНДУК', 0],
    ],
  },
  {
    language: 'Ukrainian',
    texts: ['Бабуся зберігає ключі у старій скрині.', 'Ми посадили яблуні біля озера.'],
    questions: [
      ['ключ', 0],
      ['яблуня', 1],
    ],
  },
  {
    language: 'Greek',
    texts: [
      'Ο παππούς φυλάει τα παλιά βιβλία στο υπόγειο.',
      'Ο ψαράς πούλησε τις βάρκες του στο λιμάνι.',
      'Τα προγράμματα της γιορτής είναι στον τοίχο.',
    ],
    questions: [
      ['βιβλίο', 0],
      ['ΨΑΡΑΣ', 1],
      ['βάρκα', 1],
      ['πρόγραμμα', 2],
      ['λιμανι', 1],
    ],
  },
  {
    language: 'Arabic',
    texts: [
      'وضعت الجدة الكتاب القديم في الخزانة',
      'يعمل المهندسون في مصنع السفن قرب النهر',
      'أحمد يحب القهوة مع الحليب',
    ],
    questions: [
      ['كتاب', 0],
      ['مهندس', 1],
      ['احمد', 2],
      ['قهوة وحليب', 2],
    ],
  },
  {
    language: 'Persian',
    texts: ['مادربزرگ کتاب‌ها را در صندوق گذاشته است', 'ماهیگیر قایق کوچک خود را فروخت'],
    questions: [
      ['كتاب صندوق', 0],
      ['قایق ماهیگیر', 1],
    ],
  },
  {
    language: 'Hebrew',
    texts: ['סבתא שמרה את הספרים בארון הישן', 'הדייג מכר את הסירה בנמל', 'העיתונים מונחים על השולחן'],
    questions: [
      ['ספר', 0],
      ['סירות', 1],
      ['עיתון', 2],
      ['ארון', 0],
    ],
  },
  {
    language: 'Hindi',
    texts: ['दादी पुरानी किताबें संदूक में रखती हैं', 'लड़कों ने नदी के पास पेड़ लगाए', 'दुकान १२ बजे खुलती है'],
    questions: [
      ['किताब', 0],
      ['लड़का', 1],
      ['दुकानें 12', 2],
    ],
  },
  {
    language: 'Chinese',
    texts: ['奶奶把旧书放在阁楼的箱子里', '渔夫在港口卖掉了小船', '我家的猫喜欢睡在窗台上'],
    questions: [
      ['阁楼里的书', 0],
      ['猫', 2],
      ['小船在哪里', 1],
      ['港口', 1],
    ],
  },
  {
    language: 'Japanese',
    texts: ['祖母は古い時計を引き出しにしまった', '犬が公園で走っている', 'ﾃﾞｰﾀﾍﾞｰｽの移行は金曜日に終わる'],
    questions: [
      ['時計', 0],
      ['犬', 1],
      ['データベース', 2],
      ['公園の犬', 1],
    ],
  },
  {
    language: 'Korean',
    texts: ['할머니는 오래된 책을 상자에 넣었다', '고양이가 창문 옆에서 잔다', '회의는 금요일에 도서관에서 열린다'],
    questions: [
      ['책', 0],
      ['고양이', 1],
      ['도서관', 2],
      ['상자를', 0],
    ],
  },
  {
    language: 'Thai',
    texts: ['คุณยายเก็บหนังสือเก่าไว้ในหีบ', 'แมวนอนอยู่ใต้หน้าต่าง'],
    questions: [
      ['หนังสือ', 0],
      ['แมว', 1],
    ],
  },
  {
    language: 'Lao',
    texts: ['ແມ່ຕູ້ເກັບປຶ້ມເກົ່າໄວ້ໃນຫີບ', 'ແມວນອນຢູ່ໃຕ້ໂຕະ'],
    questions: [
      ['ປຶ້ມ', 0],
      ['ແມວ', 1],
    ],
  },
  {
    language: 'Khmer',
    texts: ['ជីដូនទុកសៀវភៅចាស់ក្នុងហិប', 'ឆ្មាដេកនៅក្រោមតុ'],
    questions: [
      ['សៀវភៅ', 0],
      ['ឆ្មា', 1],
    ],
  },
  {
    language: 'Burmese',
    texts: ['အဖွားသည် စာအုပ်ဟောင်းများကို သေတ္တာထဲတွင် ထားသည်', 'ကြောင်သည် စားပွဲအောက်တွင် အိပ်သည်'],
    questions: [
      ['စာအုပ်', 0],
      ['ကြောင်', 1],
    ],
  },
  {
    language: 'Vietnamese',
    texts: ['Bà nội cất những cuốn sách cũ trong rương gỗ', 'Người đánh cá đã bán chiếc thuyền ở bến cảng'],
    questions: [
      ['cuon sach', 0],
      ['THUYỀN', 1],
    ],
  },
  {
    language: 'English',
    texts: [
      'The grandmother keeps her old clocks in the chest of the attic.',
      'We watered the gardens of our neighbours on Saturday.',
      'The fisherman sold his boats in the harbour.',
    ],
    questions: [
      ['where is the clock?', 0],
      ['watering a garden', 1],
      ['boat', 2],
    ],
  },
];
