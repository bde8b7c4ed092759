"""Ten XLSForms of our own, after public descriptions of instruments that public health and staff surveys use.

A row of the sheet survey is ``type | name | label | column = cell | @group``; a line that begins with ``|`` goes on. A
list of choices is ``name: choice, choice=Label``.
"""

from __future__ import annotations

from spreadsheets import Sheets

HEAD = ["type", "name", "label"]
DISGUISED = {"rr::truth": "2/3", "rr::channel": "uniform"}


def sheets(name: str, survey: str, *lists: str) -> Sheets:
    """The sheets of a form that is written as above."""
    lines = survey.strip().replace("\n|", " |").splitlines()
    cells: list[dict[str, str]] = []
    for line in lines:
        row = [cell.strip() for cell in line.split(" | ")]
        cells.append(dict(zip(HEAD, row, strict=False)))
        for each in row[3:]:
            column, _, cell = each.partition(" = ")
            cells[-1] |= {"rr::group": each[1:]} | DISGUISED if each.startswith("@") else {column: cell}
    columns = list(dict.fromkeys([*HEAD, *(key for row in cells for key in row)]))
    choices = []
    for each in lists:
        listed, _, rest = each.partition(": ")
        for choice in rest.split(", "):
            value, _, label = choice.partition("=")
            choices.append([listed, value, label or value])
    return {
        "survey": [columns, *([row.get(column) for column in columns] for row in cells)],
        "choices": [["list_name", "name", "label"], *choices],
        "settings": [["form_title", "form_id", "default_language"], [name.replace("_", " "), name, "English (en)"]],
    }


YES_NO = "yes_no: yes=Yes, no=No"
FORMS: dict[str, Sheets] = {
    "who5": sheets(
        "who5",
        """
begin_group | wellbeing | Over the last two weeks | appearance = table-list | rr::coins = own | @mood
note | wellbeing_note | Which is closest to how you have been feeling?
select_one often | wellbeing_cheerful | I have felt cheerful and in good spirits | required = yes
select_one often | wellbeing_calm | I have felt calm and relaxed | required = yes
select_one often | wellbeing_active | I have felt active and vigorous | required = yes
end_group""",
        "often: 5=All of the time, 4=Most of it, 3=More than half, 2=Less than half, 1=Some of it, 0=At no time",
    ),
    "audit_c": sheets(
        "audit_c",
        """
select_one often | often | How often do you have a drink? | required = yes | @often
select_one drinks | drinks | How many on a typical day? | required = yes | relevant = ${often} != 'never' | @drinks
select_one often | six | How often six or more? | required = yes | relevant = not(${often} = 'never') | @six""",
        "often: never=Never, monthly=Monthly or less, weekly=Weekly, daily=Daily",
        "drinks: few=1 or 2, some=3 or 4, many=5 or more",
    ),
    "tobacco": sheets(
        "tobacco",
        """
begin_group | now | Smoking now
select_one yes_no | smokes | Do you smoke? | required = yes | @smokes | rr::prior = yes = 0.2, no = 0.8
integer | age | How old are you? | required = yes | rr::cuts = 18 30 50 | constraint = . >= 10 and . <= 110
| rr::unit = years
decimal | spent | What did you spend last week? | relevant = ${smokes} = 'yes' and ${age} >= 18 | rr::cuts = 5 20
end_group
begin_group | before | Before
date | began | When did you begin? | relevant = ${smokes} = 'yes' | rr::cuts = 2000-01-01 2015-01-01
| constraint = . >= date('1950-01-01')
end_group""",
        YES_NO,
    ),
    "bullying": sheets(
        "bullying",
        """
select_one answers | bullied | Were you bullied at work? | required = yes | @bullied
select_multiple by | by | By whom? | required = yes | relevant = ${bullied} = 'yes' | @by | rr::coins = own
| constraint = count-selected(.) <= 2 and not(selected(., 'none') and count-selected(.) > 1)
select_one yes_no | told | Did you tell somebody? | required = yes
| relevant = selected(${by}, 'boss') and not(selected(${by}, 'peer'))""",
        YES_NO,
        "answers: yes=Yes, no=No, prefer_not_to_say=I will not say",
        "by: boss=A manager, peer=A colleague, client=A client, none=Nobody of these",
    ),
    "ranking": sheets(
        "ranking",
        """
rank goods | matters | What matters most at work? | required = yes | parameters = randomize=true | @matters
range | pain | How much pain, 0 to 10? | required = yes | parameters = start=0 end=10 step=1 | @pain
select_one goods | missing | What is missing? | required = no | parameters = randomize=true""",
        "goods: pay=Pay, time=Time, peers=Colleagues",
    ),
    "climate": sheets(
        "climate",
        """
begin_group | work | How much do you agree? | appearance = table-list | @work
select_one agree | work_fair | My manager is fair | required = no
select_one agree | work_voice | My voice counts | required = no
select_one agree | work_safe | I feel safe | required = no
end_group
select_one agree | stay | I want to stay | required = no | appearance = likert""",
        "agree: 1=Strongly disagree, 2=Disagree, 3=Neither, 4=Agree, 5=Strongly agree",
    ),
    "water": sheets(
        "water",
        """
begin_group | home | Your household
select_multiple sources | sources | Where does your water come from? | required = yes
| constraint = count-selected(.) <= 3
select_one treat | treat | Do you treat it? | required = yes | relevant = selected(${sources}, 'well') | @treat
end_group
begin_group | people | The people in it | relevant = ${treat} != 'always'
select_one yes_no | ill | Was anybody ill? | required = yes | hint = In the last two weeks. | @ill
end_group""",
        YES_NO,
        "sources: piped=Piped, well=A well, rain=Rain, river=A river",
        "treat: always=Always, sometimes=Sometimes, never=Never",
    ),
    "gad2": sheets(
        "gad2",
        """
select_one days | nervous | Feeling nervous | required = yes | appearance = likert | @gad
select_one days | worry | Not being able to stop worrying | required = yes | appearance = likert | @gad
select_one days | help | How difficult was it? | required = yes | relevant = ${nervous} >= 2 | appearance = likert""",
        "days: 0=Not at all, 1=Several days, 2=More than half the days, 3=Nearly every day",
    ),
    "income": sheets(
        "income",
        """
note | intro | These are about money.
integer | income | Monthly income | required = yes | rr::cuts = 400 800 1500 | @money | rr::decline = yes
| rr::unit = EUR
select_one yes_no | debts | Do you have debts? | required = yes | relevant = ${income} < 800 | @money
select_one yes_no | help | Did you get help? | required = yes
| relevant = ${income} >= 400 and ${income} < 1500 and ${debts} = 'no'""",
        YES_NO,
    ),
    "travel": sheets(
        "travel",
        """
select_one modes | mode | How do you travel to work? | required = yes | @mode
| rr::prior = bus = 0.5, car = 0.25, bike = 0.25
select_multiple modes | others | And how else? | parameters = randomize=true
| relevant = ${mode} = 'bus' or ${mode} = 'car' | @others | rr::prior = bus = 0.1, car = 0.2, bike = 0.7
date | moved | When did you move here? | required = no | rr::cuts = 2010-01-01 2020-01-01""",
        "modes: bus=By bus, car=By car, bike=By bicycle",
    ),
}
