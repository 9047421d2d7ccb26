// Calls a gateway with the generated client: `call <base url>`. One line for each check.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"

	gateway "example.com/houmao/gateway"
)

var failed = false

func check(name string, call func() error) {
	if err := call(); err != nil {
		failed = true
		fmt.Printf("failed %s: %s\n", name, strings.ReplaceAll(err.Error(), "\n", " "))
		return
	}
	fmt.Println("ok", name)
}

// The model of the body of a refusal with this status.
func refused[Model any](status int, response *http.Response, err error) (Model, error) {
	var none Model
	var refusal *gateway.GenericOpenAPIError
	if !errors.As(err, &refusal) || response == nil || response.StatusCode != status {
		return none, fmt.Errorf("no refusal with %d: %v", status, err)
	}
	body, ok := refusal.Model().(Model)
	if !ok {
		return none, fmt.Errorf("the body is a %T", refusal.Model())
	}
	return body, nil
}

func main() {
	configuration := gateway.NewConfiguration()
	configuration.Servers = gateway.ServerConfigurations{{URL: os.Args[1]}}
	client, ctx := gateway.NewAPIClient(configuration), context.Background()
	var requestId, reminderId string

	check("a prompt is accepted", func() error {
		prompt := gateway.NewSubmitPromptRequest("submit_prompt", *gateway.NewSubmitPromptPayload("Hello from Go"))
		create := gateway.SubmitPromptRequestAsRequestCreate(prompt)
		accepted, _, err := client.RequestsAPI.SubmitRequest(ctx).RequestCreate(create).IdempotencyKey("go-1").Execute()
		if err == nil {
			requestId = accepted.RequestId
		}
		return err
	})
	check("its record is completed and has the answer", func() error {
		record, _, err := client.RequestsAPI.GetRequest(ctx, requestId).WaitSeconds(30).Execute()
		if err != nil {
			return err
		}
		if record.State != gateway.REQUESTSTATE_COMPLETED {
			return fmt.Errorf("it is %s", record.State)
		}
		if text := record.Turn.Get().Answer.Get().Text; !strings.Contains(text, "Hello from Go") {
			return fmt.Errorf("the answer is %q", text)
		}
		return nil
	})
	check("its end is among the events, distinguished by kind", func() error {
		page, _, err := client.EventsAPI.ListEvents(ctx).After(0).Limit(200).Execute()
		if err != nil {
			return err
		}
		for _, event := range page.Events {
			if event.CompletedEvent != nil && event.CompletedEvent.Data.RequestId == requestId {
				return nil
			}
		}
		return fmt.Errorf("there is no end among %d events", len(page.Events))
	})
	check("an event of a kind that it does not know is passed over", func() error {
		page := []byte(`{"schema_version":1,"next_after":1,"events":[{"seq":1,"at_utc":"2026-01-01T00:00:00+00:00",
			"kind":"of_a_newer_gateway","subject_id":null,"data":{}}]}`)
		var read gateway.EventPage
		if err := json.Unmarshal(page, &read); err != nil {
			return err
		}
		if len(read.Events) != 1 || read.Events[0].GetActualInstance() != nil {
			return fmt.Errorf("it is read as %v", read.Events)
		}
		return nil
	})
	check("an unknown request is a typed 404", func() error {
		_, response, err := client.RequestsAPI.GetRequest(ctx, "gwreq-unknown").Execute()
		body, err := refused[gateway.ErrorText](404, response, err)
		if err == nil && !strings.Contains(body.Detail, "gwreq-unknown") {
			return errors.New(body.Detail)
		}
		return err
	})
	check("a broken rule is a typed 422", func() error {
		_, response, err := client.RequestsAPI.ListRequests(ctx).Cursor("nonsense").Execute()
		body, err := refused[gateway.ErrorItems](422, response, err)
		if err == nil && *body.Detail[0].Loc[1].String != "cursor" {
			return fmt.Errorf("it names %v", body.Detail[0].Loc)
		}
		return err
	})
	check("a reminder is created", func() error {
		definition := gateway.NewReminderDefinition(gateway.REMINDERMODE_ONE_OFF, "Stand-up", 0)
		definition.SetPrompt("What did you do?")
		definition.SetStartAfterSeconds(3600)
		batch := gateway.NewReminderCreateBatch([]gateway.ReminderDefinition{*definition})
		created, _, err := client.RemindersAPI.CreateReminders(ctx).ReminderCreateBatch(*batch).Execute()
		if err == nil {
			reminderId = created.Reminders[0].ReminderId
		}
		return err
	})
	check("the reminder is deleted", func() error {
		result, _, err := client.RemindersAPI.DeleteReminder(ctx, reminderId).Execute()
		if err != nil {
			return err
		}
		if !result.Deleted {
			return errors.New("it says that it is not deleted")
		}
		_, response, err := client.RemindersAPI.GetReminder(ctx, reminderId).Execute()
		_, err = refused[gateway.ErrorText](404, response, err)
		return err
	})
	if failed {
		os.Exit(1)
	}
}
