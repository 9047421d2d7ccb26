package houmao.gateway;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import houmao.gateway.api.EventsApi;
import houmao.gateway.api.RemindersApi;
import houmao.gateway.api.RequestsApi;
import houmao.gateway.model.CompletedEvent;
import houmao.gateway.model.ErrorItems;
import houmao.gateway.model.ErrorText;
import houmao.gateway.model.GatewayEvent;
import houmao.gateway.model.ReminderCreateBatch;
import houmao.gateway.model.ReminderDefinition;
import houmao.gateway.model.ReminderMode;
import houmao.gateway.model.RequestCreate;
import houmao.gateway.model.RequestRecord;
import houmao.gateway.model.RequestState;
import houmao.gateway.model.SubmitPromptPayload;
import houmao.gateway.model.SubmitPromptRequest;
import java.math.BigDecimal;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.concurrent.Callable;

/** Calls a gateway with the generated client: {@code Call <base url>}. One line for each check. */
public class Call {
  static boolean failed = false;
  static String requestId;
  static String reminderId;

  interface Check {
    void run() throws Exception;
  }

  static void check(String name, Check check) {
    try {
      check.run();
      System.out.println("ok " + name);
    } catch (Exception | AssertionError error) {
      failed = true;
      System.out.println(("failed " + name + ": " + error).replace('\n', ' '));
    }
  }

  static void expect(boolean condition, Object what) {
    if (!condition) throw new AssertionError(what);
  }

  /** The body of a refusal with this status. Java's client leaves its decoding to us. */
  static <Model> Model refused(ApiClient api, int status, Class<Model> model, Callable<?> call) throws Exception {
    try {
      call.call();
    } catch (ApiException error) {
      expect(error.getCode() == status, error);
      return api.getObjectMapper().readValue(error.getResponseBody(), model);
    }
    throw new AssertionError("it was not refused");
  }

  public static void main(String[] args) {
    ApiClient api = new ApiClient();
    api.updateBaseUri(args[0]);
    RequestsApi requests = new RequestsApi(api);
    RemindersApi reminders = new RemindersApi(api);
    EventsApi events = new EventsApi(api);

    check("a prompt is accepted", () -> {
      SubmitPromptRequest prompt = new SubmitPromptRequest()
          .kind(SubmitPromptRequest.KindEnum.SUBMIT_PROMPT)
          .payload(new SubmitPromptPayload().prompt("Hello from Java"));
      requestId = requests.submitRequest(RequestsApi.APISubmitRequestRequest.newBuilder()
          .requestCreate(new RequestCreate(prompt)).idempotencyKey("java-1").build()).getRequestId();
    });
    check("its record is completed and has the answer", () -> {
      RequestRecord record = requests.getRequest(RequestsApi.APIGetRequestRequest.newBuilder()
          .requestId(requestId).waitSeconds(BigDecimal.valueOf(30)).build());
      expect(record.getState() == RequestState.COMPLETED, record.getState());
      expect(record.getTurn().getAnswer().getText().contains("Hello from Java"), record.getTurn());
    });
    check("its end is among the events, distinguished by kind", () -> {
      boolean ended = events.listEvents(
          EventsApi.APIListEventsRequest.newBuilder().after(0L).limit(200).build()).getEvents().stream()
          .map(event -> event.getActualInstance())
          .anyMatch(event -> event instanceof CompletedEvent
              && ((CompletedEvent) event).getData().getRequestId().equals(requestId));
      expect(ended, "its end is not there");
    });
    check("an event of a kind that it does not know is passed over", () -> {
      // The page as it came, and each event by itself: a page read whole fails with one event that is not known.
      HttpRequest request = HttpRequest.newBuilder(URI.create(args[0] + "/v1/events?after=0&limit=200")).build();
      ObjectMapper mapper = api.getObjectMapper();
      JsonNode page = mapper.readTree(HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).body());
      ArrayNode all = (ArrayNode) page.get("events");
      all.add(((ObjectNode) all.get(0).deepCopy()).put("kind", "of_a_newer_gateway"));
      int others = 0;
      boolean ended = false;
      for (JsonNode event : all) {
        try {
          ended |= mapper.treeToValue(event, GatewayEvent.class).getActualInstance() instanceof CompletedEvent;
        } catch (JsonProcessingException | IllegalArgumentException unknown) {
          others += 1;
        }
      }
      expect(others == 1 && ended, page);
    });
    check("an unknown request is a typed 404", () -> {
      ErrorText body = refused(api, 404, ErrorText.class, () -> requests.getRequest(
          RequestsApi.APIGetRequestRequest.newBuilder().requestId("gwreq-unknown").build()));
      expect(body.getDetail().contains("gwreq-unknown"), body);
    });
    check("a broken rule is a typed 422", () -> {
      ErrorItems body =
          refused(api, 422, ErrorItems.class, () -> requests.listRequests(
              RequestsApi.APIListRequestsRequest.newBuilder().cursor("nonsense").build()));
      expect(body.getDetail().get(0).getLoc().get(1).getActualInstance().equals("cursor"), body);
    });
    check("a reminder is created", () -> {
      ReminderDefinition definition = new ReminderDefinition()
          .mode(ReminderMode.ONE_OFF)
          .title("Stand-up")
          .prompt("What did you do?")
          .ranking(0L)
          .startAfterSeconds(3600.0);
      ReminderCreateBatch batch = new ReminderCreateBatch().reminders(List.of(definition));
      reminderId = reminders.createReminders(
          RemindersApi.APICreateRemindersRequest.newBuilder().reminderCreateBatch(batch).build()).getReminders().get(0).getReminderId();
    });
    check("the reminder is deleted", () -> {
      expect(reminders.deleteReminder(reminderId).getDeleted(), "it says that it is not deleted");
      refused(api, 404, ErrorText.class, () -> reminders.getReminder(reminderId));
    });
    System.exit(failed ? 1 : 0);
  }
}
