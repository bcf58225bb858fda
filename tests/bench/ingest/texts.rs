//! Posts as shops, clubs and bands write them, in fourteen languages. Texts differ in length, script and digits, so
//! that neither compression nor an index sees the same few words again and again.

use crate::dice::Dice;

/// Parts of a post in one language; `{}` takes a number.
struct Voice {
    openings: [&'static str; 4],
    news: [&'static str; 6],
    closings: [&'static str; 3],
    tags: &'static str,
}

const VOICES: [Voice; 14] = [
    Voice {
        openings: ["Good morning!", "Doors open at nine.", "It's finally here.", "Quick note for our regulars:"],
        news: [
            "We baked {} loaves of rye and they won't last until noon.",
            "Row {} of the balcony is free again for Saturday's late show.",
            "The repair café fixed {} toasters last month, bring yours.",
            "Our autumn catalogue has {} pages and a recipe for plum cake.",
            "Trail {} is closed after the storm, please take the river path.",
            "Stall {} moves next to the fountain from Thursday on.",
        ],
        closings: ["See you there.", "First come, first served.", "Questions? Just write to us."],
        tags: "#smallbusiness #saturday",
    },
    Voice {
        openings: ["Guten Morgen zusammen!", "Endlich ist es so weit.", "Kurz notiert:", "Für alle Frühaufsteher:"],
        news: [
            "Heute gibt es {} Sorten Käse vom Hof nebenan.",
            "Für das Konzert am Freitag sind noch {} Plätze übrig.",
            "Unsere Werkstatt hat diese Woche {} Fahrräder wieder flottgemacht.",
            "Im Schaufenster stehen {} neue Vasen aus Steinzeug.",
            "Die Führung um {} Uhr fällt wegen Glätte leider aus.",
            "Wir suchen {} helfende Hände für das Straßenfest.",
        ],
        closings: ["Wir freuen uns auf euch.", "Nur solange der Vorrat reicht.", "Bis später, ganz herzlich!"],
        tags: "#handwerk #nachbarschaft",
    },
    Voice {
        openings: ["Bonjour à tous !", "C'est la rentrée.", "Petit rappel :", "Ça y est, ils sont arrivés."],
        news: [
            "Il reste {} places pour l'atelier de poterie de jeudi.",
            "Nos {} nouveaux thés vous attendent près de la fenêtre.",
            "La boulangerie ouvre exceptionnellement à {} heures.",
            "Merci aux {} bénévoles qui ont nettoyé les berges.",
            "Le numéro {} de la revue est enfin imprimé.",
            "Le quai {} est en travaux, suivez les flèches jaunes.",
        ],
        closings: ["À très vite !", "Venez comme vous êtes.", "Réservez par message."],
        tags: "#artisanat #quartier",
    },
    Voice {
        openings: ["¡Buenos días!", "Ya está aquí.", "Aviso para vecinos:", "¿Quién se apunta?"],
        news: [
            "Hemos recibido {} cajas de naranjas de la huerta.",
            "Quedan {} entradas para la función del domingo.",
            "El taller de cerámica del aula {} empieza el lunes.",
            "Este año plantamos {} árboles junto al río.",
            "La panadería cierra el día {} por inventario.",
            "Mañana leemos {} cuentos a los más pequeños.",
        ],
        closings: ["¡Os esperamos!", "Hasta agotar existencias.", "Escríbenos sin compromiso."],
        tags: "#barrio #hechoamano",
    },
    Voice {
        openings: ["Bom dia!", "Chegou a hora.", "Lembrete rápido:", "Novidades na loja:"],
        news: [
            "Temos {} pães de fermentação natural saindo do forno.",
            "Ainda há {} vagas para a oficina de sábado.",
            "A feira volta à praça com {} bancas.",
            "O autocarro {} para agora à nossa porta.",
            "Recolhemos {} quilos de lixo na praia, obrigado!",
            "A exposição abre com {} fotografias inéditas.",
        ],
        closings: ["Esperamos por você.", "Até já!", "Manda mensagem para reservar."],
        tags: "#feitoamao #fimdesemana",
    },
    Voice {
        openings: ["Buongiorno!", "Finalmente ci siamo.", "Avviso ai naviganti:", "Solo per oggi:"],
        news: [
            "Abbiamo {} gusti nuovi, anche senza zucchero.",
            "Restano {} posti per la cena in cortile.",
            "La libreria compie {} anni e festeggia con voi.",
            "Il sentiero {} riapre dopo la frana.",
            "Sono arrivate {} piante grasse dal vivaio.",
            "Il mercato del {} si sposta in via Roma.",
        ],
        closings: ["Vi aspettiamo!", "Fino a esaurimento.", "Scriveteci pure qui."],
        tags: "#bottega #domenica",
    },
    Voice {
        openings: ["Dzień dobry!", "Nareszcie!", "Krótka wiadomość:", "Uwaga, zmiana godzin:"],
        news: [
            "Upiekliśmy dziś {} drożdżówek z jagodami.",
            "Zostało {} biletów na sobotni koncert.",
            "Na warsztaty zapisało się już {} osób.",
            "Linia {} nie zatrzymuje się przy rynku.",
            "W galerii wisi {} nowych grafik.",
            "Zebraliśmy {} książek dla świetlicy.",
        ],
        closings: ["Do zobaczenia!", "Kto pierwszy, ten lepszy.", "Piszcie śmiało."],
        tags: "#rzemiosło #sobota",
    },
    Voice {
        openings: ["Günaydın!", "Beklenen gün geldi.", "Küçük bir duyuru:", "Bu hafta sonu:"],
        news: [
            "Fırından {} tepsi simit çıktı.",
            "Cumartesi gösterisi için {} koltuk kaldı.",
            "Atölyemiz {} yeni çini deseniyle açılıyor.",
            "Sahilde {} çuval çöp topladık, teşekkürler.",
            "{} numaralı tezgâh çeşmenin yanına taşındı.",
            "Kitap kulübünde {} sayfa okuduk bile.",
        ],
        closings: ["Görüşmek üzere!", "Stoklarla sınırlı.", "Mesaj atmanız yeterli."],
        tags: "#mahalle #elyapımı",
    },
    Voice {
        openings: ["Доброго ранку!", "Нарешті!", "Коротка новина:", "Чекаємо на вас:"],
        news: [
            "Спекли {} паляниць із житнього борошна.",
            "На суботню виставу лишилося {} місць.",
            "У майстерні полагодили {} велосипедів.",
            "Ярмарок переїхав до павільйону {}.",
            "Зібрали {} кілограмів кришечок.",
            "Маршрут {} тимчасово закрито.",
        ],
        closings: ["До зустрічі!", "Кількість обмежена.", "Пишіть нам."],
        tags: "#поруч #вихідні",
    },
    Voice {
        openings: ["おはようございます。", "お待たせしました！", "お知らせです。", "本日かぎり："],
        news: [
            "焼きたての食パンを{}本ご用意しました。",
            "土曜の公演は残り{}席です。",
            "新しい器が{}点、窓辺に並びました。",
            "{}番のバスは迂回運転中です。",
            "海岸で{}袋のごみを拾いました。",
            "読書会は{}ページまで進みました。",
        ],
        closings: ["ご来店をお待ちしています。", "なくなり次第終了です。", "お気軽にどうぞ。"],
        tags: "#手しごと #週末",
    },
    Voice {
        openings: ["좋은 아침입니다!", "드디어 나왔어요.", "잠깐 알려 드려요.", "이번 주말에는"],
        news: [
            "갓 구운 식빵 {}개를 준비했습니다.",
            "토요일 공연 좌석이 {}석 남았어요.",
            "공방에 새 그릇 {}점이 들어왔습니다.",
            "{}번 버스가 가게 앞에 섭니다.",
            "바닷가에서 쓰레기 {}포대를 주웠어요.",
            "동네 책방 모임에 {}명이 왔습니다.",
        ],
        closings: ["기다릴게요.", "소진 시 마감합니다.", "편하게 문의 주세요."],
        tags: "#동네가게 #주말",
    },
    Voice {
        openings: ["早上好！", "终于来了。", "温馨提示：", "本周末："],
        news: [
            "今天出炉{}个全麦面包。",
            "周六演出还剩{}个座位。",
            "陶艺课第{}教室周一开课。",
            "{}路公交车临时改道。",
            "志愿者在河边种了{}棵树。",
            "新一期杂志共{}页，已经到店。",
        ],
        closings: ["不见不散。", "售完为止。", "欢迎留言。"],
        tags: "#街坊 #手作",
    },
    Voice {
        openings: ["صباح الخير!", "وصلت أخيرًا.", "تنبيه سريع:", "لأهل الحي:"],
        news: [
            "خبزنا اليوم {} رغيفًا من القمح الكامل.",
            "بقي {} مقعدًا لعرض السبت.",
            "افتتحنا معرضًا يضم {} صورة.",
            "الحافلة رقم {} تتوقف الآن أمامنا.",
            "جمعنا {} كيسًا من الشاطئ.",
            "انتقل الكشك {} إلى جانب النافورة.",
        ],
        closings: ["نراكم قريبًا.", "حتى نفاد الكمية.", "راسلونا للحجز."],
        tags: "#حرفة #عطلة",
    },
    Voice {
        openings: ["सुप्रभात!", "आख़िर आ ही गया।", "छोटी सी सूचना:", "इस सप्ताहांत:"],
        news: [
            "आज {} ताज़ा रोटियाँ तंदूर से निकली हैं।",
            "शनिवार के शो में {} सीटें बची हैं।",
            "दुकान में {} नई साड़ियाँ आई हैं।",
            "बस नंबर {} अब चौक से जाएगी।",
            "हमने नदी किनारे {} पेड़ लगाए।",
            "पुस्तक मेले में {} स्टॉल होंगे।",
        ],
        closings: ["ज़रूर आइए।", "पहले आओ, पहले पाओ।", "संदेश भेजिए।"],
        tags: "#हस्तशिल्प #मेला",
    },
];

/// The text of one post: an opening, one to three pieces of news, a closing and a link of its own.
pub(crate) fn post_text(dice: &mut Dice) -> String {
    let voice = &VOICES[dice.below(VOICES.len())];
    let mut text = dice.pick(&voice.openings).to_owned();
    for _ in 0..=dice.below(3) {
        text.push(' ');
        text.push_str(&dice.pick(&voice.news).replace("{}", &(2 + dice.below(988)).to_string()));
    }
    text.push(' ');
    text.push_str(dice.pick(&voice.closings));
    if dice.percent(60) {
        text.push_str(&format!(" https://shop.example/n/{:x}", dice.roll() >> 24));
    }
    if dice.percent(70) {
        text.push(' ');
        text.push_str(voice.tags);
    }
    text
}
